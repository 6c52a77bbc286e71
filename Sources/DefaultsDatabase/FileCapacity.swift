package import OpenStepPropertyList

/// Which types of values the file of a domain can hold.
package enum FileCapacity: Hashable, Sendable {
  /// All of them.
  case everything
  /// All but Float: GNUstep's files do not tell it from a Double.
  case noFloats
  /// Strings, data and containers: Window Maker reads no comments, and so no notes of types.
  case noTypes

  /// A value as such a file holds it.
  ///
  /// It recurses as deep as the value nests.
  package func held(_ value: PropertyList) throws(PropertyListError) -> PropertyList {
    switch self {
    case .everything: value
    case .noFloats: value.withoutFloats
    case .noTypes: try value.withoutTypes
    }
  }
}

extension UserDatabase {
  /// Which types of values a domain's file can hold.
  package func capacity(of name: DomainName) throws(DatabaseError) -> FileCapacity {
    // Only these files need to be looked at.
    guard dialect == .gnustep || OpenStepFormat.isWindowMakerFile(name.text) else { return .everything }
    return try home.withOwnersRights { (checked) throws(DatabaseError) in
      let file = try DomainFile(of: name, in: home, isPathChecked: checked != nil)
      return file.capacity(for: try file.loadForReplacing().format)
    }
  }
}

extension DomainFile {
  /// Which types of values the file can hold in a format.
  func capacity(for format: DomainFileFormat) -> FileCapacity {
    if isWindowMakers, format.isText { return .noTypes }
    return directory.dialect == .gnustep && format != .binary ? .noFloats : .everything
  }
}
