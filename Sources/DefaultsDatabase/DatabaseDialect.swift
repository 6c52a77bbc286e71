/// The programs that share a database's directory, which determine the formats of files and the locks.
package enum DatabaseDialect: Hashable, Sendable {
  /// This package's programs and OPENSTEP's: text, with the types in comments.
  case openStep
  /// GNUstep's programs: XML for new files, typed text (`<*I5>`) where a file is text, and GNUstep's lock in
  /// addition to this package's.
  case gnustep

  /// The format of a domain that has no file yet.
  var newFileFormat: DomainFileFormat {
    switch self {
    case .openStep: .openStep
    case .gnustep: .xml
    }
  }

  /// The formats to try in turn for a file that has a given format, until one represents the values exactly.
  func formats(forFileOf format: DomainFileFormat) -> [DomainFileFormat] {
    switch (self, format) {
    case (.openStep, .openStep): [.openStep]
    case (.openStep, _): [format, .openStep]
    // GNUstep cannot read a file of typed text in which a date has a fraction of a second.
    case (.gnustep, .openStep), (.gnustep, .gnustep): [.gnustep, .openStep]
    case (.gnustep, _): [format, .gnustep, .openStep]
    }
  }
}
