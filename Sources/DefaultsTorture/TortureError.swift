/// Why a trial could not be carried out; what a trial finds is no error.
package struct TortureError: Error, CustomStringConvertible {
  /// What is wrong, as one line.
  package let description: String

  init(_ description: String) {
    self.description = description
  }
}
