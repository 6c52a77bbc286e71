import DefaultsDomains
import OpenStepPropertyList

/// The texts of an owner's parameters in the database, made without the functions' lock: to parse and print large values
/// takes long.
struct NXStoredTexts {
  /// A parameter's text in the owner's domain and, where that has none, in GLOBAL's.
  struct Texts {
    /// The owner's; nil for no value, and for one that is no C string.
    var own: String?
    /// GLOBAL's; nil as well where the owner has one.
    var global: String?
  }

  /// The values of some names in a domain, with their texts.
  private struct Stored {
    let domain: PersistentDomain
    let names: [PropertyListKey]
    private let values: [PropertyList?]
    let texts: [String?]

    init(_ names: [PropertyListKey], in domain: PersistentDomain) {
      (self.domain, self.names) = (domain, names)
      values = names.map(domain.value)
      texts = values.map(Stored.text)
    }

    /// The present texts of the names, all of one moment. Only a value that has changed since is printed.
    var present: [String?] {
      zip(domain.values(for: names), zip(values, texts)).map { present, known in
        if let present, let value = known.0, present.isIdentical(to: value) { return known.1 }
        return Stored.text(of: present)
      }
    }

    private static func text(of value: PropertyList?) -> String? {
      guard let value else { return nil }
      let text = value.scalarText ?? (try? value.text(style: .oneLine))
      return text.flatMap { $0.utf8.contains(0) ? nil : $0 }
    }
  }

  private let own: Stored
  private let global: Stored?

  /// Makes the texts of some names.
  ///
  /// - Parameters:
  ///   - own: The owner's domain.
  ///   - global: GLOBAL's domain; nil where it does not count.
  init(of names: [PropertyListKey], in own: PersistentDomain, behind global: PersistentDomain? = nil) {
    let own = Stored(names, in: own)
    self.own = own
    self.global = global.map { Stored(zip(names, own.texts).filter { $1 == nil }.map(\.0), in: $0) }
  }

  /// The present texts of the names, those of a domain all of one moment.
  ///
  /// Asked under the functions' lock: of two threads that cache a parameter, the last one finds the last value.
  var present: [Texts] {
    let own = own.present
    guard let global else { return own.map { Texts(own: $0) } }
    let known = Dictionary(zip(global.names, global.present)) { $1 }
    return zip(self.own.names, own).map { name, text in
      // The owner's value went away after the texts were made, where GLOBAL's is not known.
      Texts(own: text, global: text == nil ? known[name] ?? Stored([name], in: global.domain).texts[0] : nil)
    }
  }
}
