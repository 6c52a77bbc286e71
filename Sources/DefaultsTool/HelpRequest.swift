/// An option among a verb's other options that asks for the verb's help.
struct HelpRequest: Error {
  /// The options that ask for help.
  static let options = ["-h", "--help", "-help"]
}
