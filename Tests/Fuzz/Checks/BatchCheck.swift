import DefaultsTool
import Foundation

/// A batch is refused as a whole or taken as a whole, and what `read` prints of it `write` takes back.
enum BatchCheck {
  static func check(_ bytes: [UInt8]) {
    let (first, second) = (Database(), Database())
    let written = first.run("write", bytes)
    let listing = first.run("read", [])
    precondition(
      [.done, .usage, .refused].contains(written.code), "written: \(written.code) \(written.errors)")
    if written.code != .done {
      precondition(!written.errors.isEmpty && listing.output.isEmpty, "a refused batch was written in part")
      return
    }
    precondition(listing.code == .done, "read: \(listing.errors)")
    precondition(second.run("write", listing.output).code == .done, "write does not take what read prints")
    precondition(second.run("read", []).output == listing.output, "the listing comes back otherwise")
    // What remains are domains without a key, which have no line.
    precondition(second.run("delete", listing.output).code == .done, "delete does not take what read prints")
    precondition(second.run("read", []).output.isEmpty, "delete leaves something")
  }

  /// A folder of its own, removed in the end.
  private final class Database {
    private let folder =
      FileManager.default.temporaryDirectory.path + "/fuzz-\(UInt64.random(in: 0 ... .max))"

    deinit {
      // What is left lies among the temporary files; no property depends on it.
      try? FileManager.default.removeItem(atPath: folder)
    }

    func run(_ verb: String, _ input: [UInt8]) -> (code: ExitCode, output: [UInt8], errors: String) {
      var output: [UInt8] = []
      var errors: [UInt8] = []
      let code = DefaultsCommand.run(
        arguments: [verb], environment: ["OPENSTEP_DEFAULTS_DIR": folder], input: { input },
        output: CommandOutput(standardOutput: { output += $0 }, standardError: { errors += $0 }))
      return (code, output, String(decoding: errors, as: UTF8.self))
    }
  }
}
