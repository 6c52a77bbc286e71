import Foundation

/// A home in which texts are edited by scripts.
struct EditorHome {
  let home: ToolHome
  /// Where the private directories of the texts are made.
  let texts: String

  init() throws {
    home = try ToolHome()
    texts = home.root.path + "/texts"
    try FileManager.default.createDirectory(atPath: texts, withIntermediateDirectories: true)
  }

  /// The command that runs a shell script in which `$1` is the text, `$DIR` the database, and `$HERE` a directory for its
  /// own files.
  ///
  /// The shell reads it: a file that was just written cannot be run while another thread starts a process.
  func editor(_ script: String, shell: String = "sh") throws -> String {
    let path = home.root.path + "/editor"
    let text = "DIR='\(home.path)' HERE='\(home.root.path)'\n\(script)\n"
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    return "\(shell) \(path)"
  }

  /// The texts that were left.
  func left() throws -> [String] {
    let manager = FileManager.default
    return try manager.contentsOfDirectory(atPath: texts).flatMap { folder in
      try manager.contentsOfDirectory(atPath: "\(texts)/\(folder)").filter { !$0.hasPrefix(".") }
        .map { "\(texts)/\(folder)/\($0)" }
    }
  }
}
