import DefaultsDatabase
import OpenStepPropertyList

/// A domain while the files are put together that hold it.
struct FoundDomain {
  let name: PropertyListKey
  /// The first of its files.
  private(set) var file: ForeignFile?
  private(set) var values: [PropertyListKey: PropertyList] = [:]
  /// From which file for a host each of its keys came.
  private var hosts: [PropertyListKey: String] = [:]

  init(name: PropertyListKey) {
    self.name = name
  }

  /// Adds what a file holds, and tells what of it does not count.
  ///
  /// A host's values count before those for all hosts, as macOS searches them; which of several hosts is meant nobody
  /// can know.
  mutating func add(_ added: ForeignFile, isForHost: Bool) -> [ImportRemark] {
    guard case .dictionary(let entries) = added.value else { return [] }
    guard let first = file else {
      file = added
      values = entries
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
    }
    return remarks
  }
}
