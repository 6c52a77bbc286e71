import OpenStepPropertyList

/// The beginnings and ends of names and paths, compared by their UTF-8 bytes.
///
/// `hasPrefix` and `hasSuffix` compare characters: in `/́` a combining mark belongs to the slash, and in `؀.plist` the
/// dot belongs to the Arabic number sign. To the system they are bytes.
extension String {
  /// Whether the text begins with the bytes of another.
  package func hasBytePrefix(_ prefix: String) -> Bool {
    utf8.starts(with: prefix.utf8)
  }

  /// Whether the text ends with the bytes of another.
  package func hasByteSuffix(_ suffix: String) -> Bool {
    utf8.count >= suffix.utf8.count && utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
  }

  /// The text without the bytes of another at its end; nil if it does not end with them.
  package func removing(byteSuffix suffix: String) -> String? {
    hasByteSuffix(suffix) ? String(Substring(utf8.dropLast(suffix.utf8.count))) : nil
  }
}

extension Sequence<String> {
  /// The names in the order of their bytes, which is that of their scalars.
  ///
  /// `sorted()` compares characters, which takes long where names have many combining marks.
  package func sortedByBytes() -> [String] {
    sorted { PropertyListKey($0) < PropertyListKey($1) }
  }
}
