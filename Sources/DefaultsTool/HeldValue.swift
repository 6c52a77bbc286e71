import DefaultsDatabase
import DefaultsImport
import OpenStepPropertyList

/// A new value as its file can hold it, and the keys whose values lose their types there.
struct HeldValue {
  /// What the file holds; nil for no file.
  let value: PropertyList?
  /// The keys, or the places in an array such as `[1]`, whose new values the file holds as other ones; sorted.
  private var lostNames: [String] = []
  /// The keys whose new values GNUstep's programs will not see exactly, with the reasons; sorted.
  private var unseen: [(name: String, reason: String)] = []
  private let capacity: FileCapacity

  /// Finds out what a file holds of a new value.
  ///
  /// Values that stay as they are count for nothing, and neither do those that the file holds already.
  ///
  /// - Parameters:
  ///   - new: The value that is asked for; nil for none.
  ///   - old: What the file holds now; nil for no file.
  init(
    _ new: PropertyList?, over old: PropertyList?, in capacity: FileCapacity
  ) throws(PropertyListError) {
    self.capacity = capacity
    guard capacity != .everything, case .dictionary(var entries)? = new else {
      value = try new.map { (new) throws(PropertyListError) in try capacity.held(new) }
      guard case .array(let asked)? = new, case .array(let held)? = value, held != asked, value != old else {
        return
      }
      lostNames = asked.indices.filter { held[$0] != asked[$0] }.map { "[\($0)]" }
      return
    }
    var before: [PropertyListKey: PropertyList] = [:]
    if case .dictionary(let entries)? = old { before = entries }
    var lostKeys: [PropertyListKey] = []
    var reasons: [PropertyListKey: String] = [:]
    for (key, asked) in entries where asked != before[key] {
      let held = try capacity.held(asked)
      entries[key] = held
      if held != asked, held != before[key] { lostKeys.append(key) }
      if capacity == .noFloats, held != before[key] {
        reasons[key] = GNUstepCapacity.reason(against: [key: held])
      }
    }
    value = .dictionary(entries)
    lostNames = lostKeys.sorted().map(\.text)
    unseen = reasons.sorted { $0.key < $1.key }.map { ($0.key.text, $0.value) }
  }

  /// The entries of the file's dictionary.
  var entries: [PropertyListKey: PropertyList] {
    if case .dictionary(let entries)? = value { entries } else { [:] }
  }

  /// The sentence that tells which types are lost; nil if none is.
  ///
  /// - Parameter isRehearsal: Whether nothing is written.
  func remark(rehearsing isRehearsal: Bool) -> String? {
    guard !lostNames.isEmpty else { return nil }
    let isOne = lostNames.count == 1
    let names = lostNames.map { "“\($0.onOneLine)”" }.joined(separator: ", ")
    let verb = isRehearsal ? "would be" : isOne ? "is" : "are"
    let loss =
      switch capacity {
      case .noTypes: "without \(isOne ? "its type" : "their types"): Window Maker reads no comments"
      case .noFloats, .everything:
        "with a Double for each Float: GNUstep's files do not tell one from the other"
      }
    return "\(names) \(verb) written \(loss)"
  }
}

extension HeldValue {
  /// A sentence for each key whose new value GNUstep's programs will not see exactly.
  var unseenRemarks: [String] { unseen.map { "“\($0.name.onOneLine)” \($0.reason)" } }
}

extension CommandOutput {
  /// Reports which types a new value loses in its file, if any, and what the file's own programs will not see.
  func tellOfLostTypes(in held: HeldValue?, rehearsing isRehearsal: Bool) throws {
    if let remark = held?.remark(rehearsing: isRehearsal) { try report(CommandError(.done, remark)) }
    for remark in held?.unseenRemarks ?? [] { try report(CommandError(.done, remark)) }
  }
}

extension DomainChanges {
  /// These changes, of which none removes a single key, with the values as a file holds them.
  func held(
    over old: [PropertyListKey: PropertyList], in capacity: FileCapacity
  ) throws(PropertyListError) -> (changes: DomainChanges, held: HeldValue) {
    let held = try HeldValue(.dictionary(applied(to: [:])), over: .dictionary(old), in: capacity)
    var changes = DomainChanges()
    if replacesAll {
      changes.replaceAll(with: held.entries)
    } else {
      for (key, value) in held.entries { changes.set(value, for: key) }
    }
    return (changes, held)
  }
}
