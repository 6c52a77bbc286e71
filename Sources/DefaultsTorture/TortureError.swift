/// Why a trial could not be run; a broken promise that a trial finds is not an error.
package struct TortureError: Error, CustomStringConvertible {
  /// What is wrong, as one line.
  package let description: String

  init(_ description: String) {
    self.description = description
  }
}
