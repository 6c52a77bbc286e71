package import OpenStepPropertyList

extension UserDatabase {
  /// The place of a value in a domain's file as it is at that moment.
  ///
  /// - Parameter path: The steps from the domain's dictionary to the value.
  /// - Returns: nil for a file that is no text, and for one that has no such value.
  /// - Throws: an error if the file cannot be read.
  package func position(
    of path: [PropertyListPathStep], in domain: DomainName
  ) throws(DatabaseError) -> PropertyListPosition? {
    let file = self.path(of: domain)
    guard let bytes = try PropertyListFile.bytes(at: file), DomainFileFormat(recognising: bytes) == .openStep
    else { return nil }
    return PropertyListPosition(
      of: path, in: bytes, options: PropertyListFile.defaultOptions(forFileAt: file))
  }
}
