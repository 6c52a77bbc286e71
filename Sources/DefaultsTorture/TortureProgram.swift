/// The program that the children of a trial run; it has to call ``TortureChild/runIfAsked(through:tool:)``.
package struct TortureProgram {
  /// The path of its executable file.
  let path: String
  /// Its first arguments.
  let arguments: [String]

  package init(path: String, arguments: [String]) {
    (self.path, self.arguments) = (path, arguments)
  }
}
