import DefaultsDatabase
import OpenStepPropertyList
import Synchronization

/// Reading a whole table in parts, so that no part keeps other threads waiting.
extension LookupTable {
  /// The present slots, for the writer; nil if none was ever used.
  var layout: Layout? {
    guard slots.usedCount > 0 else { return nil }
    return Layout(
      number: slots.layout, slots: slots, text: text, slotCount: slots.capacity,
      usedCount: slots.usedCount)
  }

  /// The slots of a table at one moment, to be read in parts.
  struct Layout {
    fileprivate let number: Int
    fileprivate let slots: LookupSlots
    /// The text of the values that are not parsed yet.
    let text: DictionaryText?

    let slotCount: Int
    /// How many slots were used at that moment.
    let usedCount: Int

    /// Whether the table has had no other slots in between.
    func isSame(as other: Layout) -> Bool { number == other.number }
  }

  /// Reads the contents of some slots, without a lock.
  ///
  /// - Parameters:
  ///   - parsed: Receives what is made of each entry.
  ///   - unparsed: Receives where in the text the entries begin whose values are not parsed yet.
  ///   - make: Is given an entry, which must not leave it. The memory that a writer retires meanwhile is kept, so that
  ///     a range whose entries take long should be short.
  /// - Returns: false, with nothing read, if the table has other slots now or several changes are being
  ///   made.
  func read<Element>(
    _ range: Range<Int>, of layout: Layout, parsed: inout [Element], unparsed: inout [UInt32],
    _ make: (LookupEntry.Pointer) -> Element
  ) -> Bool {
    let counter = ReaderCounters.shared.ofThisThread
    counter.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent)
    defer { counter.pointee.wrappingSubtract(1, ordering: .releasing) }
    let address = root.pointee.load(ordering: .sequentiallyConsistent)
    // Other slots may have the same address now; they have another number.
    guard address == UInt(bitPattern: layout.slots.address), layout.slots.layout == layout.number else {
      return false
    }
    for slot in range {
      let contents = layout.slots.sharedContents(of: slot)
      if let entry = contents.entry {
        parsed.append(make(entry))
      } else if let start = contents.textStart {
        unparsed.append(start)
      }
    }
    return true
  }
}
