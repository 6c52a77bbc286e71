import DefaultsDatabase
import OpenStepPropertyList

/// The bytes of a domain's file, which are parsed once, and only if their value is asked for.
final class PresentDomain {
  let domain: DomainName
  /// nil if there is no file.
  let bytes: [UInt8]?
  private let database: UserDatabase

  init(_ domain: DomainName, bytes: [UInt8]?, in database: UserDatabase) {
    (self.domain, self.bytes, self.database) = (domain, bytes, database)
  }

  var byteCount: Int { bytes?.count ?? 0 }

  /// What the file holds; an empty dictionary for no file, and the reason for a damaged one.
  private(set) lazy var value: Result<PropertyList, FormatError> = Result {
    () throws(FormatError) -> PropertyList in
    guard let bytes else { return [:] }
    return try database.propertyList(from: bytes, of: domain)
  }
}
