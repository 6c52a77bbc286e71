package import OpenStepPropertyList

/// Values that are to be set in a domain, as the lines of its file, which take far less memory than the values do.
package struct DomainLines: Sendable {
  /// Whether nothing of what is on disk outlives them.
  package private(set) var replacesAll = false
  private var builder = DomainLines.emptyBuilder
  /// The whole text, once ``finish()`` was called; nil where there is no entry.
  private(set) var text: DictionaryText?

  private static var emptyBuilder: DictionaryTextBuilder {
    DictionaryTextBuilder(options: .domainFile, maximumByteCount: FileSize.maximum)
  }

  /// Makes a record of no value.
  package init() {}

  /// Records a new value for a key.
  ///
  /// - Throws: `PropertyListError` for a value that no file can hold, and where there is too much of them.
  package mutating func set(_ value: PropertyList, for key: PropertyListKey) throws(PropertyListError) {
    try builder.append(key, value)
  }

  /// Records that all the domain now holds is this.
  ///
  /// - Throws: as ``set(_:for:)``.
  package mutating func replaceAll(
    with values: [PropertyListKey: PropertyList]
  ) throws(PropertyListError) {
    replacesAll = true
    builder = DomainLines.emptyBuilder
    for (key, value) in values { try builder.append(key, value) }
  }

  /// Puts the lines in order; no more are recorded after that.
  ///
  /// - Throws: `PropertyListError` for more values and keys than are read.
  package mutating func finish() throws(PropertyListError) {
    text = try builder.text()
    builder = DomainLines.emptyBuilder
  }

  /// The value that a key has once these values are set; nil for none.
  ///
  /// - Parameter old: Its value on disk.
  package func value(of key: PropertyListKey, over old: PropertyList?) -> PropertyList? {
    text?.value(of: key) ?? (replacesAll ? nil : old)
  }

  /// The same as values.
  var changes: DomainChanges {
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
