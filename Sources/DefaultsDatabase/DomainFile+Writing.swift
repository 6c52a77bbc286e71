import OpenStepPropertyList

/// How a domain's file is changed: first a plan, then, under the lock, its steps.
extension DomainFile {
  /// Plans how to put changes into the file.
  ///
  /// It needs no lock: besides reading, it only fills a temporary file, and begins to bring it to the disk.
  ///
  /// - Parameters:
  ///   - onDamage: What to do with a file that cannot be changed without a loss.
  ///   - known: Gives the values to save in place of a damaged file's contents.
  func plan(
    _ changes: DomainChanges, over found: FoundDomain, onDamage: DamagePolicy,
    knowing known: () -> [PropertyListKey: PropertyList]
  ) throws(DatabaseError) -> SavePlan {
    let old = found.domain
    // Also of a damaged file: no key of it was meant to go.
    if changes.isEmpty { return SavePlan(file: self, found: found, step: .keep, after: old) }
    // Thrown before the memory is filled.
    if found.format.isText, changes.takes(FileSize.maximum + 1) { throw tooLarge }
    var loss: DatabaseError?
    func plan(_ step: SavePlan.Step, _ after: LoadedDomain) -> SavePlan {
      SavePlan(file: self, found: found, step: step, after: after, loss: loss)
    }
    func take(_ reason: DatabaseError?) throws(DatabaseError) {
      loss = loss ?? reason
      if onDamage == .refuse, let loss { throw loss }
    }
    switch try edited(found, by: changes) {
    case .whole(let changed):
      if changed === old.text { return plan(.keep, old) }
      let written = PropertyList.dictionary(changes.applied(to: [:]))
      try take(self.loss(of: found, replacedBy: changed.bytes, writing: written))
      return plan(.replace(try write(changed.bytes)), LoadedDomain(changed))
    case .edited(let edited):
      guard let file = edited.file else { return plan(.keep, old) }
      do throws(DatabaseError) {
        try take(edited.loss)
      } catch {
        remove(file)
        throw error
      }
      return plan(.replace(file), edited.after)
    case .impossible:
      try take(uneditable(found))
    case .notText: break
    }
    let isLost = old.isDamaged || found.isTooLarge
    let oldValues = old.values
    let values = changes.applied(to: old.isDamaged ? known() : oldValues)
    if values == oldValues && !isLost { return plan(.keep, old) }
    // If there is an older file without the extension, removing this one would bring its values back. Then this one
    // becomes an empty dictionary.
    if values.isEmpty, try !hidesAnother() {
      return plan(.remove, LoadedDomain())
    }
    let (bytes, after) = try encode(values, as: found.format)
    try take(self.loss(of: found, replacedBy: bytes, writing: .dictionary(values)))
    return plan(.replace(try write(bytes)), after)
  }

  /// Plans the same for lines of text, without parsing their values, which would take several times the
  /// memory.
  ///
  /// - Returns: nil if the file is not to be text, or contains a text that has to be parsed.
  func plan(
    _ lines: DictionaryText, replacingAll: Bool, over found: FoundDomain
  ) throws(DatabaseError) -> SavePlan? {
    let old = found.domain
    guard directory.dialect == .openStep, found.format == .openStep, !isWindowMakers,
      old.text != nil || old.identity == nil || found.isTooLarge
    else { return nil }
    let before = try? old.text?.rewritten(maximumByteCount: old.text?.bytes.count ?? 0)
    // What a person has laid out or commented, and so what takes more bytes in this layout, is edited instead.
    guard before?.bytes == old.text?.bytes else { return nil }
    let after: DictionaryText
    do throws(PropertyListError) {
      after = replacingAll ? lines : try before?.merging(lines) ?? lines
    } catch {
      throw notWritable(FormatError(error))
    }
    let step: SavePlan.Step = before?.bytes == after.bytes ? .keep : .replace(try write(after.bytes))
    return SavePlan(file: self, found: found, step: step, after: LoadedDomain(after))
  }

  /// Plans to put bytes that the caller has checked in the place of the file.
  func plan(_ bytes: [UInt8], over found: FoundDomain) throws(DatabaseError) -> SavePlan {
    let replaced = found.domain.identity == nil ? nil : found.bytes
    if replaced == bytes { return SavePlan(file: self, found: found, step: .keep, after: found.domain) }
    let after: LoadedDomain
    do throws(FormatError) {
      let value = try DomainFileFormat.propertyList(
        from: bytes, textOptions: textOptions, undoesGNUstepEscapes: directory.dialect == .gnustep
      ).value
      guard case .dictionary(let values) = value else {
        throw FormatError("holds a single value where a dictionary was expected")
      }
      after = LoadedDomain(values: values)
    } catch {
      throw notWritable(error)
    }
    return SavePlan(file: self, found: found, step: .replace(try write(bytes)), after: after)
  }

  /// Plans to put bytes in the place of the file that it has had before, whatever they are.
  func plan(formerBytes bytes: [UInt8], over found: FoundDomain) throws(DatabaseError) -> SavePlan {
    let replaced = found.domain.identity == nil ? nil : found.bytes
    if replaced == bytes { return SavePlan(file: self, found: found, step: .keep, after: found.domain) }
    return SavePlan(
      file: self, found: found, step: .replace(try write(bytes)),
      after: LoadedDomain(values: values(of: bytes)))
  }

  /// The values in bytes; none if they are not a domain's.
  private func values(of bytes: [UInt8]) -> [PropertyListKey: PropertyList] {
    let value = try? DomainFileFormat.propertyList(
      from: bytes, textOptions: textOptions, undoesGNUstepEscapes: directory.dialect == .gnustep
    ).value
    if case .dictionary(let values)? = value { return values }
    return [:]
  }

  /// Plans the removal of all of the domain's keys.
  func planRemoval(of found: FoundDomain) throws(DatabaseError) -> SavePlan {
    let step: SavePlan.Step
    var after = LoadedDomain()
    if isAbsent {
      step = .none
    } else if try hidesAnother() {
      let bytes: [UInt8]
      (bytes, after) = try encode([:], as: found.format)
      step = .replace(try write(bytes))
    } else {
      step = .remove
    }
    return SavePlan(file: self, found: found, step: step, after: after)
  }

  /// Carries out a plan; the file must still be the one that was found then.
  ///
  /// - Returns: nil, with the file unchanged, if a program that does not obey the lock has changed it since it was
  ///   found; a damaged one that was found may have its second name already.
  /// - Throws: an error that says whether the old file still exists.
  func carryOut(_ plan: SavePlan) throws(DatabaseError) -> Commit? {
    var commit = Commit(before: plan.found.domain.identity, after: plan.after)
    commit.foundKnownText = plan.foundKnownText
    let reason = plan.reasonToMoveAside
    switch plan.step {
    case .none:
      break
    case .keep:
      // Another process may have written the file a moment ago, and been killed before this step.
      try synchronize()
    case .remove:
      guard let removal = try remove(movingAside: reason != nil) else { return nil }
      commit.movedAside = removal.movedAside
    case .replace(let file):
      guard let new = try put(file, isFlushed: plan.isFlushed, movingAside: reason != nil) else { return nil }
      commit.after = plan.after.stored(in: new.identity)
      commit.movedAside = new.movedAside
    }
    if commit.movedAside != nil { commit.reason = reason }
    return commit
  }

  /// Writes values in a format; gives the bytes, and the domain after they are in its file.
  private func encode(
    _ values: [PropertyListKey: PropertyList], as format: DomainFileFormat
  ) throws(DatabaseError) -> (bytes: [UInt8], after: LoadedDomain) {
    let bytes: [UInt8]
    var values = values
    do throws(FormatError) {
      if isWindowMakers, format.isText {
        values = try OpenStepFormat.withoutTypes(values)
        bytes = try OpenStepFormat.bytes(
          of: .dictionary(values), style: .windowMaker, within: FileSize.maximum)
      } else {
        bytes = try format.bytes(of: .dictionary(values), for: directory.dialect)
      }
    } catch {
      throw error.isTooLong ? tooLarge : notWritable(error)
    }
    if directory.dialect == .openStep, let text = text(written: bytes) { return (bytes, LoadedDomain(text)) }
    return (bytes, LoadedDomain(values: values))
  }

  /// The text that was just written, in any format that can represent it; nil if its lines cannot be changed
  /// one by one.
  private func text(written bytes: [UInt8]) -> DictionaryText? {
    switch DomainFileFormat(recognising: bytes) {
    case .openStep: DictionaryText(written: bytes, options: textOptions)
    case .xml: DictionaryText(checkingXML: bytes)
    case .gnustep, .binary: nil
    }
  }

  func notWritable(_ error: FormatError) -> DatabaseError {
    DatabaseError(.refused, path: path, message: "cannot be saved: \(error)", advice: DomainFile.unchanged)
  }

  /// The file could not be read again.
  var tooLarge: DatabaseError {
    notWritable(FormatError("it would take more than \(FileSize.maximum) bytes, and no larger file is read"))
  }

  /// Writes bytes into a temporary file in the same directory, which is not yet on stable storage.
  func write(_ bytes: [UInt8]) throws(DatabaseError) -> TemporaryFile {
    guard bytes.count <= FileSize.maximum else { throw tooLarge }
    var file: TemporaryFile
    do throws(SystemError) {
      file = try TemporaryFile(in: folder, fileSystem: fileSystem)
    } catch {
      throw notSaved(error)
    }
    do throws(SystemError) {
      try file.fill(with: bytes)
      try directory.handOver(file.descriptor, madeIn: folder)
      return file
    } catch {
      remove(file)
      throw notSaved(error)
    }
  }

  /// Removes a temporary file that will not be used.
  func remove(_ file: TemporaryFile) {
    file.discard()
    file.close()
  }

  /// Waits until a temporary file is on stable storage.
  func flush(_ file: TemporaryFile) throws(DatabaseError) {
    do throws(SystemError) {
      try file.flush()
    } catch {
      throw notSaved(error)
    }
  }

  /// Puts a temporary file in this one's place; a damaged file is first kept under another name.
  ///
  /// - Parameter isFlushed: Whether the temporary file is on stable storage.
  /// - Returns: the new file's identity, and the damaged one's new path; nil if another file is there now.
  private func put(
    _ file: TemporaryFile, isFlushed: Bool, movingAside isDamaged: Bool
  ) throws(DatabaseError) -> (identity: FileIdentity, movedAside: String?)? {
    try saving { descriptor throws(DatabaseError) in
      if !isFlushed { try flush(file) }
      guard try isStillAsFound() else { return nil }
      var kept: String?
      let mustBeNew = isLinkToNoFile
      do throws(SystemError) {
        if isDamaged {
          kept = try keep()
          // Otherwise a loss of power might preserve the next rename and lose this name.
          try directory.synchronize(descriptor)
          guard try isStillDamaged() else {
            // Of a file that was repaired where it stands no second name is left.
            _ = undoKeeping(kept)
            return nil
          }
        }
        // There is no file that could be locked: it may be made at this moment.
        if mustBeNew {
          try file.take(nameFoundFree: resolvedPath)
        } else {
          try fileSystem.rename(file.path, to: resolvedPath)
        }
      } catch  where error == .alreadyExists && mustBeNew {
        return nil
      } catch {
        throw notSaved(error, advice: undoKeeping(kept))
      }
      do throws(SystemError) {
        // Read after the rename, which changes the status.
        let status = try fileSystem.status(of: file.descriptor)
        return (FileIdentity(status, at: fileSystem.now, ownTime: file.ownTime), kept)
      } catch {
        throw notDurable(error)
      }
    }
  }

  private struct Removal {
    /// The path under which a damaged file is kept.
    let movedAside: String?
  }

  /// Removes the file, or keeps it under another name if it is damaged.
  ///
  /// - Returns: nil if another file is there now.
  private func remove(movingAside isDamaged: Bool) throws(DatabaseError) -> Removal? {
    try saving { _ throws(DatabaseError) in
      guard try isStillAsFound() else { return nil }
      do throws(SystemError) {
        if isDamaged { return Removal(movedAside: try moveAside()) }
        try fileSystem.remove(resolvedPath)
        return Removal(movedAside: nil)
      } catch {
        throw notSaved(error)
      }
    }
  }

  /// Whether the locks are still held, and nothing has changed the file since it was found: an editor, or a program whose
  /// lock this one could not wait for.
  private func isStillAsFound() throws(DatabaseError) -> Bool {
    try gnustepLock?.check()
    if let endLock {
      try endLock.check()
      if endLock.isOutdated { return false }
    }
    // A link may lead elsewhere now, a file with the extension may have appeared before one without, and where there was
    // none, one without.
    if isLink || isBare || status == nil, try !foundAgain().isSamePlace(as: self) {
      return false
    }
    do throws(SystemError) {
      return try directory.isStill(status, at: resolvedPath)
    } catch {
      throw notSaved(error)
    }
  }

  /// Whether the damaged file that was found, which is kept under another name too, has not been repaired meanwhile.
  private func isStillDamaged() throws(SystemError) -> Bool {
    // Without hard links it was renamed.
    guard let now = try directory.statusIfPresent(at: resolvedPath), let status else { return true }
    return now.isSameState(as: status)
  }

  /// Waits until the file, which another process may just have written, is on stable storage.
  private func synchronize() throws(DatabaseError) {
    _ = try saving { _ throws(DatabaseError) -> Void? in
      guard status != nil else { return () }
      do throws(SystemError) {
        let descriptor = try fileSystem.open(resolvedPath, for: .reading)
        defer { fileSystem.close(descriptor) }
        try fileSystem.synchronize(descriptor)
      } catch {
        throw notDurable(error)
      }
    }
  }

  /// Opens the file's directory, runs a step, and waits until the directory's entries are on stable storage.
  ///
  /// The directory is opened first, so that a step that cannot be made durable is not begun.
  ///
  /// - Parameter step: Gives nil if it has changed nothing; then this waits for nothing.
  private func saving<Result>(
    _ step: (_ descriptor: Int32) throws(DatabaseError) -> Result?
  ) throws(DatabaseError) -> Result? {
    let descriptor: Int32
    do throws(SystemError) {
      descriptor = try fileSystem.open(folder, for: .directory)
    } catch {
      throw notSaved(error)
    }
    defer { fileSystem.close(descriptor) }
    guard let result = try step(descriptor) else { return nil }
    do throws(SystemError) {
      try directory.synchronize(descriptor)
    } catch {
      throw notDurable(error)
    }
    return result
  }

  static let unchanged = "the file is unchanged"

  /// - Parameter advice: What became of the file; nil for nothing.
  private func notSaved(_ error: SystemError, advice: String? = nil) -> DatabaseError {
    let unchanged = status == nil ? "nothing was changed" : DomainFile.unchanged
    return .inputOutput(error, path: path, "cannot be saved", advice: advice ?? unchanged)
  }

  private func notDurable(_ error: SystemError) -> DatabaseError {
    .inputOutput(
      error, path: path, "may not survive a loss of power", advice: "the changes are in the file; save again")
  }
}
