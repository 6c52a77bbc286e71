import OpenStepPropertyList

/// What was found in a domain's file.
struct FoundDomain {
  var domain: LoadedDomain
  /// The format for writing the file.
  var format: DomainFileFormat
  /// The bytes that were read; nil if the file was not read.
  var bytes: [UInt8]?
  /// Whether the file was not read because it is larger than ``FileSize/maximum``.
  var isTooLarge = false
}

/// A prepared save of a domain's file (optimistic concurrency).
///
/// For a large domain, and for computed contents of any size (``CommitRequest``), it is prepared without the lock, because this
/// takes long: reading, merging, encoding, writing a temporary file, and waiting until that is on stable storage. Under the
/// lock the plan is then validated and carried out. All else is done under the lock.
struct SavePlan {
  enum Step {
    /// There is no file, and none is needed.
    case none
    /// The file contains all changes already.
    case keep
    case remove
    /// The temporary file takes the file's place.
    case replace(TemporaryFile)
  }

  /// The file for which the plan was made.
  let file: DomainFile
  let found: FoundDomain
  let step: Step
  /// The domain after the plan is carried out, but without the new file's identity.
  let after: LoadedDomain
  /// What the file has that the plan cannot keep; nil for nothing.
  var loss: DatabaseError?
  /// Whether the temporary file is on stable storage.
  private(set) var isFlushed = false
  /// Whether the text that was found is the one that the caller knows.
  var foundKnownText = false

  /// Why the file that was found has to be kept under another name; nil if it has not.
  var reasonToMoveAside: DatabaseError? { found.domain.damage ?? loss }

  /// Whether the file that is found under the lock is still the one that the plan was made for.
  ///
  /// If its status does not prove that, because it was written a moment ago, its bytes are compared.
  func isGood(for now: DomainFile) throws(DatabaseError) -> Bool {
    guard now.isSamePlace(as: file) else { return false }
    guard let identity = found.domain.identity else { return now.isAbsent }
    if now.isStill(identity) { return true }
    if found.isTooLarge { return now.isTooLarge }
    return try found.bytes.map { (bytes) throws(DatabaseError) in try now.holds(bytes) } ?? false
  }

  /// Waits until the temporary file is on stable storage.
  mutating func flush() throws(DatabaseError) {
    if case .replace(let new) = step { try file.flush(new) }
    isFlushed = true
  }

  /// Closes the temporary file, and removes it unless it took the file's place.
  func end(isCarriedOut: Bool) {
    guard case .replace(let file) = step else { return }
    if !isCarriedOut { file.discard() }
    file.close()
  }
}
