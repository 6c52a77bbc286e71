package import OpenStepPropertyList

/// What is found in a domain's file by one look.
package struct DomainContents {
  /// The domain as it is read.
  package let domain: LoadedDomain
  /// The file's bytes; nil if there is no file.
  package let bytes: [UInt8]?
  /// How a text in the file is read.
  package let textOptions: PropertyList.ParsingOptions
  /// Which types of values the file can hold.
  package let capacity: FileCapacity

  /// The place of a value in the file.
  ///
  /// - Parameter path: The steps from the domain's dictionary to the value.
  /// - Returns: nil for a file that is no text, and for one that has no such value.
  package func position(of path: [PropertyListPathStep]) -> PropertyListPosition? {
    guard let bytes, DomainFileFormat(recognising: bytes) == .openStep else { return nil }
    return PropertyListPosition(of: path, in: bytes, options: textOptions)
  }
}

extension UserDatabase {
  /// Reads a domain and its file's bytes.
  ///
  /// - Throws: an error if the file cannot be read; a damaged file is a result.
  package func contents(of name: DomainName) throws(DatabaseError) -> DomainContents {
    try home.withOwnersRights { (checked) throws(DatabaseError) in
      let file = try DomainFile(of: name, in: home, isPathChecked: checked != nil)
      return file.contents(from: try file.load())
    }
  }
}

extension DomainFile {
  /// What was found in the file, with its bytes.
  func contents(from found: FoundDomain) -> DomainContents {
    DomainContents(
      domain: found.domain, bytes: found.bytes, textOptions: textOptions,
      capacity: capacity(for: found.format))
  }
}
