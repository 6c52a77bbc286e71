package import DefaultsDatabase
package import OpenStepPropertyList

/// Where the value of a default comes from: the first domain along the search that has one, and the place in its file.
public struct DefaultOrigin: Hashable, Sendable, CustomStringConvertible {
  /// The domain's name.
  public let domain: String
  /// The path of the file that holds the value; nil if none does: the domain exists only in the program, or the value is
  /// not saved yet.
  public let file: String?
  /// The line of the value in the file, counted from 1; nil if the file is no text.
  public let line: Int?
  /// The column of the value in its line, counted from 1 in Unicode scalars; nil if the file is no text.
  public let column: Int?

  /// The domain, and behind a space the file with the line and column, as far as they are known: `App /…/App.plist:3:10`.
  public var description: String {
    let place = [line, column].compactMap { $0.map { ":\($0)" } }.joined()
    return domain + (file.map { " \($0)\(place)" } ?? "")
  }

  /// Makes the origin of a value in a domain that has no file.
  package init(domain: String) {
    self.domain = domain
    (file, line, column) = (nil, nil, nil)
  }

  /// Finds the place of a value that a search has found in a persistent domain.
  ///
  /// - Parameters:
  ///   - value: The value that was found for the key.
  ///   - database: The files to which the domain belongs; nil for a domain in memory.
  package init(
    of value: PropertyList, for key: PropertyListKey, in domain: DomainName, _ database: UserDatabase?
  ) {
    self.domain = domain.text
    guard let database, let contents = try? database.contents(of: domain),
      contents.domain.values[key] == value
    else {
      (file, line, column) = (nil, nil, nil)
      return
    }
    file = database.path(of: domain)
    let position = contents.position(of: [.key(key)])
    (line, column) = (position?.line, position?.column)
  }
}
