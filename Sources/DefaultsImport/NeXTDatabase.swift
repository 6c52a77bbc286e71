import DefaultsDatabase

/// The database of NEXTSTEP's first three releases: two binary files of NeXT's `libdb`, a directory of hashes and the
/// leaves with all keys and values, `~/.NeXT/.NeXTdefaults.D` and `.L`.
///
/// This package does not read them. They have no mark by which the contents could be recognised, so that the name
/// decides.
package enum NeXTDatabase {
  /// A description of a file that is one half of such a database; nil for any other name.
  package static func description(ofFileAt path: String) -> String? {
    switch PathNames.last(in: path) {
    case ".NeXTdefaults.D", ".NeXTdefaults.L", "NeXTdefaults.D", "NeXTdefaults.L":
      "is one of the two binary files of the defaults database of NEXTSTEP 1 to 3, which is no property list; "
        + "“dread” on NEXTSTEP prints what it holds"
    default: nil
    }
  }
}
