package import OpenStepPropertyList

/// What lies on disk under a domain's name: nothing, a good file, or a damaged one.
package struct LoadedDomain: Sendable {
  private let contents: Contents
  /// By what the file is known again; nil where there is none.
  package private(set) var identity: FileIdentity?
  /// Why the file cannot be read as a domain; nil for a good or an absent one.
  package let damage: DatabaseError?
  /// Whether it is a damaged one.
  ///
  /// To look at `damage` for that takes a copy of it, whose type the runtime has to make first.
  package let isDamaged: Bool

  private enum Contents {
    case values([PropertyListKey: PropertyList])
    case text(DictionaryText)
  }

  /// Makes a result; nothing, unless told otherwise.
  package init(values: [PropertyListKey: PropertyList] = [:], identity: FileIdentity? = nil) {
    contents = .values(values)
    self.identity = identity
    damage = nil
    isDamaged = false
  }

  /// Makes the result of reading a damaged file.
  init(identity: FileIdentity, damage: DatabaseError) {
    contents = .values([:])
    self.identity = identity
    self.damage = damage
    isDamaged = true
  }

  /// Makes a domain of a text, whose values are made when they are asked for.
  init(_ text: DictionaryText, identity: FileIdentity? = nil) {
    contents = .text(text)
    self.identity = identity
    damage = nil
    isDamaged = false
  }

  /// The same in a file that has just been written.
  func lying(in identity: FileIdentity) -> LoadedDomain {
    var domain = self
    domain.identity = identity
    return domain
  }

  /// The domain's values; none where the file is absent or damaged.
  ///
  /// - Complexity: linear in the size of the domain, since they may have to be made each time.
  package var values: [PropertyListKey: PropertyList] {
    switch contents {
    case .values(let values): values
    case .text(let text): text.values
    }
  }

  /// The file's text, where the values are not made yet.
  package var text: DictionaryText? {
    if case .text(let text) = contents { text } else { nil }
  }
}
