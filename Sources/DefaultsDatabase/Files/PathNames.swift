/// The names of which a path consists.
package enum PathNames {
  /// The names in a path, without those that lead nowhere: `/a/./b/` has `a` and `b`.
  package static func all(in path: String) -> [String] {
    // Split as bytes: a combining mark after a slash would form one character with it. In a loop, since the
    // library's functions to split and join take most of a millisecond when a process first calls them.
    var names: [String] = []
    var name: [UInt8] = []
    for byte in Array(path.utf8) + [UInt8(ascii: "/")] {
      guard byte == UInt8(ascii: "/") else {
        name.append(byte)
        continue
      }
      if !name.isEmpty, name != [UInt8(ascii: ".")] { names.append(String(decoding: name, as: UTF8.self)) }
      name.removeAll(keepingCapacity: true)
    }
    return names
  }

  /// The last name in a path; the path itself where it has none.
  package static func last(in path: String) -> String {
    path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? path
  }
}
