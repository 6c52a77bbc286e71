import DefaultsDatabase
import OpenStepPropertyList

/// What an argument names in the place of a domain: a domain of the database, or a property list's file.
enum DomainOperand: Hashable {
  case domain(DomainName)
  /// The path as it was given, with “/” in it.
  case file(String)

  /// The name by which macOS's tool prints the domain that all programs share.
  static let nameOfGlobalDomainInMacOS = "Apple Global Domain"

  /// The words that stand for the domain that all programs share; the last one names its file in macOS.
  static let globalNames = ["-g", "-globalDomain", nameOfGlobalDomainInMacOS, ".GlobalPreferences"]

  /// Whether a word stands for that domain.
  static func isGlobal(_ word: String) -> Bool {
    globalNames.contains { haveEqualBytes($0, word) }
  }

  /// The domain of an application that is given by its name or by the path of its bundle.
  static func domain(
    ofApplication name: String, in dialect: DatabaseDialect
  ) throws(DatabaseError) -> DomainOperand {
    let base = PathNames.last(in: name)
    let stem = base.removing(byteSuffix: ".app") ?? ""
    return .domain(try DomainName(stem.isEmpty ? base : stem, in: dialect))
  }

  /// The domain that a name in a text means: also here `-g` and its like are the domain that all programs share.
  static func domain(
    named name: String, in dialect: DatabaseDialect
  ) throws(DatabaseError) -> DomainName {
    isGlobal(name) ? .global : try DomainName(name, in: dialect)
  }

  /// What a plain word names.
  init(_ word: String, in dialect: DatabaseDialect) throws(DatabaseError) {
    if DomainOperand.isGlobal(word) {
      self = .domain(.global)
    } else if word.utf8.contains(UInt8(ascii: "/")) {
      self = .file(word)
    } else {
      self = .domain(try DomainName(word, in: dialect))
    }
  }
}

extension [DomainName] {
  /// Each domain once, in the place where it stands first.
  var eachOnce: [DomainName] {
    var known: Set<DomainName> = []
    return filter { known.insert($0).inserted }
  }
}

extension DomainName {
  /// The name by which macOS's tool prints the domain.
  var nameInMacOS: String { self == .global ? DomainOperand.nameOfGlobalDomainInMacOS : text }
}

extension DomainOperand: CustomStringConvertible {
  /// The domain's name, or the path.
  var description: String {
    switch self {
    case .domain(let name): name.text
    case .file(let path): path
    }
  }
}
