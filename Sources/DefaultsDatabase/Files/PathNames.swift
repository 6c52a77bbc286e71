/// The names of which a path consists.
package enum PathNames {
  /// The names in a path, without those that lead nowhere: `/a/./b/` has `a` and `b`.
  package static func all(in path: String) -> [String] {
    // Split as bytes: a combining mark after a slash would form one character with it.
    path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }.filter { $0 != "." }
  }

  /// The last name in a path; the path itself where it has none.
  package static func last(in path: String) -> String {
    path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? path
  }
}
