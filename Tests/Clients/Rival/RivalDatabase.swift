// A library of somebody else, which has types of the same names as this package.

/// An error of that library.
public struct DatabaseError: Error {
  public let sql: String

  public init(sql: String) {
    self.sql = sql
  }
}

/// Another error of that library.
public struct InvalidArgumentError: Error {
  public init() {}
}

/// What that library has for a list.
public struct PropertyListError: Error {
  public init() {}
}
