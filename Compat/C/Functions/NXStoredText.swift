import DefaultsDomains
import OpenStepPropertyList

/// The text of a parameter in a domain, made without the functions' lock: to parse and print a large value takes long.
struct NXStoredText {
  private let name: PropertyListKey
  private let domain: PersistentDomain
  private let value: PropertyList?
  private let text: String?

  init(of name: PropertyListKey, in domain: PersistentDomain) {
    (self.name, self.domain) = (name, domain)
    value = domain.value(for: name)
    text = NXStoredText.text(of: value)
  }

  /// GLOBAL's text, made only where the owner has none.
  init(of name: PropertyListKey, inGlobal domain: PersistentDomain, behind own: NXStoredText) {
    (self.name, self.domain) = (name, domain)
    value = own.text == nil ? domain.value(for: name) : nil
    text = NXStoredText.text(of: value)
  }

  /// The present text; nil for no value, and for one that is no C string.
  ///
  /// Asked under the lock: of two threads that cache a parameter, the last one finds the last value. Only a value that has
  /// changed since, or was not asked for, is printed then.
  var present: String? {
    let present = domain.value(for: name)
    if present == nil, value == nil { return nil }
    if let present, let value, present.isIdentical(to: value) { return text }
    return NXStoredText.text(of: present)
  }

  private static func text(of value: PropertyList?) -> String? {
    guard let value, let text = value.scalarText ?? (try? value.text(style: .oneLine)), !text.utf8.contains(0)
    else { return nil }
    return text
  }
}
