import DefaultsTool
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

  /// Runs `edit` with a script as the editor.
  func edit(
    _ words: String..., with script: String, answers: [String]? = nil, environment: [String: String] = [:],
    onQuestion willAnswer: @escaping (String) -> Void = { _ in }
  ) throws -> ToolHome.Outcome {
    run(
      ["edit"] + words, editor: try editor(script), answers: answers, environment: environment,
      onQuestion: willAnswer)
  }

  /// Runs the tool with an editor, and answers for its questions.
  func run(
    _ words: [String], editor: String?, answers: [String]? = nil, environment: [String: String] = [:],
    onQuestion willAnswer: @escaping (String) -> Void = { _ in }
  ) -> ToolHome.Outcome {
    var variables = ["OPENSTEP_DEFAULTS_DIR": home.path, "HOME": home.root.path, "TMPDIR": texts]
    variables["EDITOR"] = editor
    variables.merge(environment) { $1 }
    var (output, errors): ([UInt8], [UInt8]) = ([], [])
    var rest = answers ?? []
    let ask: Question = { question in
      errors += "\(question)\n".utf8
      willAnswer(question)
      return rest.isEmpty ? nil : rest.removeFirst()
    }
    let code = DefaultsCommand.run(
      arguments: words, environment: variables, input: { [] },
      output: CommandOutput(standardOutput: { output += $0 }, standardError: { errors += $0 }),
      ask: answers == nil ? nil : ask)
    return .init(
      code: code, output: String(decoding: output, as: UTF8.self),
      errors: String(decoding: errors, as: UTF8.self))
  }

  /// What a script has left in a file.
  func note(_ name: String) throws -> String {
    try String(contentsOfFile: "\(home.root.path)/\(name)", encoding: .utf8)
  }
}
