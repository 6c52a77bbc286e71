/// The program that the children of a trial run, which has to call ``TortureChild/runIfAsked(through:tool:)``.
package struct TortureProgram {
  /// Its file.
  let path: String
  /// Its first arguments.
  let arguments: [String]

  package init(path: String, arguments: [String]) {
    (self.path, self.arguments) = (path, arguments)
  }
}
