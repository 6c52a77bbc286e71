/// Something that is wrong with a database, or that its user may want to know.
struct Finding {
  /// How much it matters.
  enum Weight: String {
    /// Settings are lost, or cannot be read or written.
    case error
    /// Settings may be lost, or others may see them.
    case warning
    /// Nothing is wrong.
    case note
  }

  let weight: Weight
  /// Where, what, and what to do.
  let text: String
  /// Mends it, and gives lines that tell what was done; nil if a person has to decide.
  var repair: (() throws -> [String])?
  /// The error that has ended the look, so that there may be more to find; nil for what was found.
  private(set) var failure: CommandError?

  init(_ weight: Weight, _ text: String, repair: (() throws -> [String])? = nil) {
    (self.weight, self.text, self.repair) = (weight, text, repair)
  }

  /// Makes the finding that a look has failed.
  init(failure error: any Error) {
    let failure = CommandError(error)
    self.init(.error, failure.message)
    self.failure = failure
  }

  /// The line that is printed.
  var line: String { "\(weight.rawValue): \(text.messageLine)" }
}

extension [Finding] {
  /// “2 errors, 1 warning”, or “well”.
  var summary: String {
    func counted(_ weight: Finding.Weight) -> String {
      let number = count { $0.weight == weight }
      return "\(number) \(weight.rawValue)\(number == 1 ? "" : "s")"
    }
    if !contains(where: { $0.weight != .note }) { return "well" }
    return "\(counted(.error)), \(counted(.warning))"
  }
}
