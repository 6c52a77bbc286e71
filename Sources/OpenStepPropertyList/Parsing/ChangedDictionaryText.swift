/// A validated text that was made by changing another, and which of its entries the changes may reach.
struct ChangedDictionaryText {
  let text: DictionaryText
  /// The indices of the old entries that the changes may reach; before and behind them both texts have the same
  /// entries.
  let oldEntries: Range<Int>
  /// The indices of the entries that have taken their place.
  let newEntries: Range<Int>

  /// Validates a text; nil if it is damaged, or is not a dictionary in braces.
  ///
  /// The grammar of what no change reaches is not checked again where a comparison proves it.
  ///
  /// - Parameters:
  ///   - bytes: The new text.
  ///   - old: The text before, which was validated with the same options.
  ///   - splices: The changes, sorted and apart.
  /// - Complexity: linear in the number of bytes.
  init?(
    checking bytes: [UInt8], changedFrom old: DictionaryText, by splices: [TextSplice],
    options: PropertyList.ParsingOptions
  ) {
    if old.form == .openStep(options), TextDecoding.isPlainUTF8(bytes),
      let found = DictionaryTextChecker.entries(
        of: bytes, changing: old, by: splices, bounds: options.bounds)
    {
      let entries = found.entries
      text = DictionaryText(bytes: bytes, form: old.form, entries: entries, isCanonical: false)
      oldEntries = found.replaced
      newEntries =
        found.replaced.lowerBound..<entries.starts.count - (old.starts.count - found.replaced.upperBound)
    } else {
      guard let text = DictionaryText(checking: bytes, options: options) else { return nil }
      self.text = text
      (oldEntries, newEntries) = (old.starts.indices, text.starts.indices)
    }
  }
}
