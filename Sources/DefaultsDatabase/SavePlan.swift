import OpenStepPropertyList

/// What was found in a domain's file.
struct FoundDomain {
  var domain: LoadedDomain
  /// How a file is written in its place.
  var format: DomainFileFormat
  /// What the file held, byte for byte; nil where it was not read.
  var bytes: [UInt8]?
  /// Whether it was not read because it is larger than ``FileSize/maximum``.
  var isTooLarge = false
}

/// What a save will do to a domain's file, worked out from what was found in it.
///
/// This is the part of a save that takes long and needs no lock: reading, merging, encoding, and a temporary file that
/// is on stable storage already. What is left to be done under the lock takes no longer for a large domain.
struct SavePlan {
  enum Step {
    /// Nothing is there and nothing is to be.
    case none
    /// The file holds all that it should.
    case keep
    case remove
    /// A new file takes its place.
    case replace(TemporaryFile)
  }

  /// The file that was found.
  let file: DomainFile
  let found: FoundDomain
  let step: Step
  /// What the domain is when the plan is carried out, but for the new file's identity.
  let after: LoadedDomain
  /// Whether the text that was found is the one that the caller knew.
  var foundKnownText = false

  /// Whether the file that was found is damaged, and is to be kept under another name.
  var movesAside: Bool { found.domain.isDamaged }

  /// Whether a file as it is found under the lock is still the one that the plan was made for.
  ///
  /// What its status does not prove, because it was written a moment ago, its bytes do.
  func isGood(for now: DomainFile) throws(DatabaseError) -> Bool {
    guard now.isSamePlace(as: file) else { return false }
    guard let identity = found.domain.identity else { return now.isAbsent }
    if now.isStill(identity) { return true }
    if found.isTooLarge { return now.isTooLarge }
    return try found.bytes.map { (bytes) throws(DatabaseError) in try now.holds(bytes) } ?? false
  }

  /// Lets go of the temporary file, which is removed unless it took the file's place.
  func end(isCarriedOut: Bool) {
    guard case .replace(let file) = step else { return }
    if !isCarriedOut { file.discard() }
    file.close()
  }
}
