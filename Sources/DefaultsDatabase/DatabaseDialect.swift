/// Whose programs share a database's directory, and so what its files and locks are.
package enum DatabaseDialect: Hashable, Sendable {
  /// This package's own, and OPENSTEP's: text whose types stand in notes.
  case openStep
  /// GNUstep's programs: XML for what is new, typed text (`<*I5>`) where text is found, and GNUstep's lock
  /// on top of this package's.
  case gnustep

  /// The format of a domain that has no file yet.
  var newFileFormat: DomainFileFormat {
    switch self {
    case .openStep: .openStep
    case .gnustep: .xml
    }
  }

  /// The formats to try in turn for a file that has a format, until one holds the values exactly.
  func formats(forFileOf format: DomainFileFormat) -> [DomainFileFormat] {
    switch (self, format) {
    case (.openStep, .openStep): [.openStep]
    case (.openStep, _): [format, .openStep]
    // A date with a fraction of a second in typed text would make the whole file unreadable to GNUstep.
    case (.gnustep, .openStep), (.gnustep, .gnustep): [.gnustep, .openStep]
    case (.gnustep, _): [format, .gnustep, .openStep]
    }
  }
}
