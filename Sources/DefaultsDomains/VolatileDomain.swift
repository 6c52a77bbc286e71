import DefaultsDatabase
package import OpenStepPropertyList

/// A domain that is never saved.
package struct VolatileDomain: Sendable {
  let contents: Contents

  enum Contents: Sendable {
    /// Stored values: those of the argument and registration domains, and of the program's own domains.
    case values(StoredValues)
    /// Values that are computed when they are asked for.
    case computed(any ComputedDomain)
  }

  /// A domain of stored values.
  package static func values(_ values: [PropertyListKey: PropertyList]) -> VolatileDomain {
    VolatileDomain(contents: .values(StoredValues(values)))
  }

  /// A domain whose values are computed when they are asked for.
  package static func computed(_ domain: any ComputedDomain) -> VolatileDomain {
    VolatileDomain(contents: .computed(domain))
  }

  /// Adds values, and replaces those of the same keys, at one moment; without an effect on computed values.
  ///
  /// All copies of this domain have the values then. O(n) for n added values, whatever the domain has already.
  package func add(_ values: [PropertyListKey: PropertyList]) {
    if case .values(let stored) = contents { stored.add(values) }
  }

  package func value(for key: PropertyListKey) -> PropertyList? {
    switch contents {
    case .values(let stored): stored.value(for: key)
    case .computed(let domain): domain.value(for: key)
    }
  }

  package var values: [PropertyListKey: PropertyList] {
    switch contents {
    case .values(let stored): stored.values
    case .computed(let domain): domain.values
    }
  }
}

/// The values of a volatile domain, in a table that is changed under a lock and read without one.
final class StoredValues: Sendable {
  private let table: LookupTable
  /// Held by the thread that changes the table or reads all of it; its state has a size, which the lock needs.
  private let lock = Lock(false)

  init(_ values: [PropertyListKey: PropertyList]) {
    table = LookupTable(values)
  }

  var reference: LookupTable.Reference { table.reference }

  func value(for key: PropertyListKey) -> PropertyList? {
    // There is no answer while values are added: a reader must see all of them or none.
    table.answer(for: key) ?? lock.withLock { _ in table[key] }
  }

  var values: [PropertyListKey: PropertyList] { lock.withLock { _ in table.values } }

  func add(_ values: [PropertyListKey: PropertyList]) {
    var pieces = lock.withLock { _ in
      table.change(of: values.count) { for (key, value) in values { table.put(value, for: key) } }
      return table.takeFreeable()
    }
    if !pieces.isEmpty { RetiredMemory.free(&pieces) }
  }
}
