package import OpenStepPropertyList

/// The state of a domain on disk: absent, good or damaged.
package struct LoadedDomain: Sendable {
  private let contents: Contents
  /// The identity of the file; nil if there is none.
  package private(set) var identity: FileIdentity?

  private enum Contents {
    case values([PropertyListKey: PropertyList])
    case text(DictionaryText)
    case damaged(DatabaseError)
  }

  /// Makes a good domain with these values; by default an absent one.
  package init(values: [PropertyListKey: PropertyList] = [:], identity: FileIdentity? = nil) {
    contents = .values(values)
    self.identity = identity
  }

  /// Makes a domain whose file is damaged.
  init(identity: FileIdentity, damage: DatabaseError) {
    contents = .damaged(damage)
    self.identity = identity
  }

  /// Makes a domain with a text, whose values are parsed when they are asked for.
  init(_ text: DictionaryText, identity: FileIdentity? = nil) {
    contents = .text(text)
    self.identity = identity
  }

  /// The same domain in a file that has just been written.
  func stored(in identity: FileIdentity) -> LoadedDomain {
    var domain = self
    domain.identity = identity
    return domain
  }

  /// Why the file is damaged; nil for a good or an absent one.
  package var damage: DatabaseError? {
    if case .damaged(let error) = contents { error } else { nil }
  }

  /// Whether the file is damaged.
  package var isDamaged: Bool {
    if case .damaged = contents { true } else { false }
  }

  /// The domain's values; none if the file is absent or damaged.
  ///
  /// - Complexity: linear in the size of the domain, since they may be parsed each time.
  package var values: [PropertyListKey: PropertyList] {
    switch contents {
    case .values(let values): values
    case .text(let text): text.values
    case .damaged: [:]
    }
  }

  /// The domain's keys, some of them perhaps several times; none if the file is absent or damaged.
  ///
  /// - Complexity: linear in the number of keys.
  var keys: [PropertyListKey] {
    switch contents {
    case .values(let values): Array(values.keys)
    case .text(let text): text.keys
    case .damaged: []
    }
  }

  /// The file's text, if its values are parsed when they are needed and its lines can be changed one by one.
  package var text: DictionaryText? {
    if case .text(let text) = contents { text } else { nil }
  }
}
