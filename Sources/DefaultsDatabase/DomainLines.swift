package import OpenStepPropertyList

/// New values of a domain as the lines of its file, which take far less memory than the values.
package struct DomainLines: Sendable {
  /// Whether no value on disk remains after these changes.
  package private(set) var replacesAll = false
  private var builder = DomainLines.emptyBuilder
  /// The whole text after ``finish()``; nil if there is no entry.
  private(set) var text: DictionaryText?

  private static var emptyBuilder: DictionaryTextBuilder {
    DictionaryTextBuilder(options: .domainFile, maximumByteCount: FileSize.maximum)
  }

  /// Makes an empty set of lines.
  package init() {}

  /// Records a new value for a key.
  ///
  /// - Throws: `PropertyListError` for a value that no file can represent, and if the text becomes too large.
  package mutating func set(_ value: PropertyList, for key: PropertyListKey) throws(PropertyListError) {
    try builder.append(key, value)
  }

  /// Records that the whole domain was replaced.
  ///
  /// - Throws: as ``set(_:for:)``.
  package mutating func replaceAll(
    with values: [PropertyListKey: PropertyList]
  ) throws(PropertyListError) {
    replacesAll = true
    builder = DomainLines.emptyBuilder
    for (key, value) in values { try builder.append(key, value) }
  }

  /// Sorts the lines; afterwards no more can be recorded.
  ///
  /// - Throws: `PropertyListError` if the text has more values and keys than are read.
  package mutating func finish() throws(PropertyListError) {
    text = try builder.text()
    builder = DomainLines.emptyBuilder
  }

  /// The value of a key after these changes; nil if it is absent.
  ///
  /// - Parameter old: Its value on disk.
  package func value(of key: PropertyListKey, over old: PropertyList?) -> PropertyList? {
    text?.value(of: key) ?? (replacesAll ? nil : old)
  }

  /// The same changes as values.
  package var changes: DomainChanges {
    var changes = DomainChanges()
    let values = text?.values ?? [:]
    if replacesAll {
      changes.replaceAll(with: values)
    } else {
      for (key, value) in values { changes.set(value, for: key) }
    }
    return changes
  }
}
