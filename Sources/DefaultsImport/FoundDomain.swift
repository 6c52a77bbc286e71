import DefaultsDatabase
import OpenStepPropertyList

/// A domain of an old store that is collected from its files.
struct FoundDomain {
  let name: PropertyListKey
  /// The first of its files.
  private(set) var file: ImportedFile?
  private(set) var values: [PropertyListKey: PropertyList] = [:]
  /// The path of the file for a single host from which a key came.
  private var hosts: [PropertyListKey: String] = [:]
  /// The path of the file from which a key came in whose value U+FFFD replaces what is no character there.
  private(set) var replaced: [PropertyListKey: String] = [:]

  init(name: PropertyListKey) {
    self.name = name
  }

  /// Adds the values of a file, and reports those that are not used.
  ///
  /// As macOS searches them, the values for one host come before those for all hosts; of several hosts the
  /// first file wins, because the store does not tell which host is meant.
  mutating func add(_ added: ImportedFile, isForHost: Bool) -> [ImportRemark] {
    guard case .dictionary(let entries) = added.value else { return [] }
    guard let first = file else {
      file = added
      values = entries
      replaced = added.replaced(in: entries)
      if isForHost { for key in entries.keys { hosts[key] = added.path } }
      return []
    }
    guard isForHost else {
      if entries == values { return [] }
      return [
        ImportRemark(
          .loss, path: added.path, "was not carried, since \(first.path) is the file of the same domain")
      ]
    }
    var remarks: [ImportRemark] = []
    let addedReplaced = added.replaced(in: entries)
    for (key, value) in entries.sorted(by: { $0.key < $1.key }) where values[key] != value {
      if let host = hosts[key] {
        remarks.append(
          ImportRemark(
            .loss, path: added.path, key: key, of: name.text,
            "was not carried, since \(host), for another host, has another value"))
        continue
      }
      if values[key] != nil {
        remarks.append(
          ImportRemark(
            .loss, path: first.path, key: key, of: name.text,
            "was not carried, since \(added.path), for one host, has another value"))
      }
      values[key] = value
      hosts[key] = added.path
      replaced[key] = addedReplaced[key]
    }
    return remarks
  }
}
