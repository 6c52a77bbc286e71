package import OpenStepPropertyList

/// What lies on disk under a domain's name: nothing, a good file, or a damaged one.
package struct LoadedDomain: Sendable {
  private let contents: Contents
  /// By what the file is known again; nil where there is none.
  package private(set) var identity: FileIdentity?

  private enum Contents {
    case values([PropertyListKey: PropertyList])
    case text(DictionaryText)
    case damaged(DatabaseError)
  }

  /// Makes a result; nothing, unless told otherwise.
  package init(values: [PropertyListKey: PropertyList] = [:], identity: FileIdentity? = nil) {
    contents = .values(values)
    self.identity = identity
  }

  /// Makes the result of reading a damaged file.
  init(identity: FileIdentity, damage: DatabaseError) {
    contents = .damaged(damage)
    self.identity = identity
  }

  /// Makes a domain of a text, whose values are made when they are asked for.
  init(_ text: DictionaryText, identity: FileIdentity? = nil) {
    contents = .text(text)
    self.identity = identity
  }

  /// The same in a file that has just been written.
  func lying(in identity: FileIdentity) -> LoadedDomain {
    var domain = self
    domain.identity = identity
    return domain
  }

  /// Why the file cannot be read as a domain; nil for a good or an absent one.
  package var damage: DatabaseError? {
    if case .damaged(let error) = contents { error } else { nil }
  }

  /// Whether there is a file that cannot be read as a domain.
  package var isDamaged: Bool {
    if case .damaged = contents { true } else { false }
  }

  /// The domain's values; none where the file is absent or damaged.
  ///
  /// - Complexity: linear in the size of the domain, since they may have to be made each time.
  package var values: [PropertyListKey: PropertyList] {
    switch contents {
    case .values(let values): values
    case .text(let text): text.values
    case .damaged: [:]
    }
  }

  /// The file's text, where the values are not made yet.
  package var text: DictionaryText? {
    if case .text(let text) = contents { text } else { nil }
  }
}
