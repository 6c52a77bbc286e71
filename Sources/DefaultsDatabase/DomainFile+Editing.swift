import OpenStepPropertyList

/// How changes get into a text that exists.
extension DomainFile {
  enum Edit {
    /// The whole text, in this package's layout.
    case whole(DictionaryText)
    /// The text with all that did not change as it was, and the domain after it is in the file.
    case edited(EditedText)
    /// The text has bytes that could not be kept, whatever is written.
    case impossible
    /// There is no text, or the file's last key is removed.
    case notText
  }

  /// A text with the changes, which holds exactly what was meant.
  struct EditedText {
    /// The new text in a temporary file; nil if it is the old one.
    let file: TemporaryFile?
    /// The domain with the changes.
    let after: LoadedDomain
    /// Why the old text has to be kept beside the new one; nil if nothing of it is lost.
    let loss: DatabaseError?
  }

  /// Puts changes into the text that was found.
  ///
  /// A changed text is written into a temporary file before it is read again, which takes place while the disk works.
  func edited(_ found: FoundDomain, by changes: DomainChanges) throws(DatabaseError) -> Edit {
    let old = found.domain
    guard !old.isDamaged, !found.isTooLarge, let bytes = found.bytes else { return .notText }
    var file: Result<TemporaryFile, DatabaseError>?
    var isGood = false
    defer { if !isGood, case .success(let file)? = file { remove(file) } }
    let after: LoadedDomain
    let loss: DatabaseError?
    do throws(PropertyListError) {
      let entries = try entries(of: changes, over: old)
      if let text = old.text, editingStyle == .openStep,
        let changed = try text.applying(entries, within: FileSize.maximum)
      {
        return .whole(changed)
      }
      guard found.format == .openStep else { return .notText }
      let edited = try EditedDictionary(
        changing: bytes, checked: old.text, by: entries, options: textOptions, style: editingStyle
      ) { new in
        file = Result { () throws(DatabaseError) in try write(new) }
      }
      // GNUstep's spelling does not hold every value; then the whole file is written in a form that does.
      guard let edited else { return editingStyle == .gnustep ? .notText : .impossible }
      guard edited.isWorthKeeping else { return .notText }
      // GNUstep would read nothing of it, neither the new values nor the old ones. Comments and halves of characters have no
      // other place.
      if editingStyle == .gnustep, !PropertyList.isReadByGNUstep(text: edited.bytes),
        !PropertyList.hasComments(edited.bytes),
        !PropertyList.losesCharacters(edited.bytes, options: textOptions)
      {
        return .notText
      }
      let written = PropertyList.dictionary(entries.compactMapValues { $0 })
      loss = self.loss(of: found, replacedBy: edited.bytes, writing: written)
      after =
        edited.text.map { LoadedDomain($0) } ?? LoadedDomain(values: changes.applied(to: old.values))
    } catch  where error.isTooLong(for: FileSize.maximum) {
      throw tooLarge
    } catch {
      // Another format may represent values that XML and GNUstep's spelling do not.
      if found.format == .xml || editingStyle == .gnustep { return .notText }
      throw notWritable(FormatError(error))
    }
    isGood = true
    return .edited(EditedText(file: try file?.get(), after: after, loss: loss))
  }

  /// Which readers the new parts of a text are for.
  private var editingStyle: PropertyList.Style {
    if isWindowMakers { return .windowMaker }
    return directory.dialect == .gnustep ? .gnustep : .openStep
  }

  /// The changes by key; where the whole domain is replaced, all of its other keys are removed.
  private func entries(
    of changes: DomainChanges, over old: LoadedDomain
  ) throws(PropertyListError) -> [PropertyListKey: PropertyList?] {
    var entries = changes.entries(replacing: old.keys)
    guard isWindowMakers else { return entries }
    for case (let key, let value?) in entries { entries[key] = try value.withoutTypes }
    return entries
  }

  /// The error for what stands for no character in the file, such as half a surrogate pair, which other programs write and
  /// no value holds, if new bytes in the file's place have U+FFFD for it; nil if nothing is lost.
  ///
  /// - Parameter value: What was written anew.
  func loss(of found: FoundDomain, replacedBy bytes: [UInt8], writing value: PropertyList) -> DatabaseError? {
    guard !found.domain.isDamaged, let old = found.bytes,
      let lost = PropertyList.lostCharacter(from: old, to: bytes, writing: value, options: textOptions)
    else { return nil }
    return DatabaseError(
      .refused, path: path, message: lost.message,
      advice: "\(DomainFile.unchanged): give the value another text first, or delete it",
      propertyListError: lost)
  }

  /// The error for a text that cannot be changed as it is.
  func uneditable(_ found: FoundDomain) -> DatabaseError {
    let reason = UneditableText(found.bytes ?? [])
    return DatabaseError(.refused, path: path, message: reason.message, advice: reason.advice)
  }
}
