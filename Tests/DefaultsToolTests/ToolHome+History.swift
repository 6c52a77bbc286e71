import Foundation

extension ToolHome {
  /// The numbers of the commands that `log` lists, the newest first.
  var numbers: [String] {
    run("log").output.split(separator: "\n").map { String($0.prefix { $0 != " " }) }
  }

  /// The names of the history's files and directories, sorted.
  func historyNames() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path + "/.history").filter { !$0.hasPrefix(".") }
      .sorted()
  }
}
