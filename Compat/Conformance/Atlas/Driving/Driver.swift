import Foundation
import OpenStepPropertyList

/// A program that performs the questions with one implementation, as its manifest describes it.
struct Driver: Sendable {
  /// How an implementation's version is found.
  enum Version: Sendable {
    case text(String)
    /// A command that prints it.
    case command([String])
  }

  /// The name in reports, without the version.
  let id: String
  let name: String
  var version: Version
  let language: String
  let homepage: String
  /// The APIs, as the questions name them, that the driver has.
  let apis: Set<String>
  let takesTexts: Bool
  /// The path of the program; `{build}` stands for the folder of what ``build`` makes.
  var program: String
  /// Whether the program is copied into the scene; else the scene has a link to it.
  let isCopied: Bool
  let environment: [String: String]
  /// The texts of files in the scene's folder, by name.
  let files: [String: String]
  /// The folder of the domain files.
  let store: String
  /// The name of a domain's file.
  let fileName: String
  /// The seconds for the reply to one message.
  let seconds: Double
  /// The command that makes the program; empty where there is nothing to make.
  let build: [String]
  /// The folder of the manifest, in which ``build`` and ``version`` run.
  let folder: URL
  /// The class of this program that performs the questions, unless another program does.
  let builtIn: Implementation?
  /// Whether the form of each outcome is checked; a wrong one breaks the protocol.
  var isValidated = false

  /// The version, as far as it is known.
  var versionText: String {
    if case .text(let text) = version { text } else { "" }
  }

  /// Whether a difference is a failure on any basis.
  var definesExpectations: Bool { builtIn?.definesExpectations ?? false }

  /// Whether the driver can be asked a question.
  func takes(_ question: Question) -> Bool {
    guard question.isText ? takesTexts : question.apisInvolved.isSubset(of: apis) else { return false }
    return builtIn?.answers(question) ?? true
  }
}

// MARK: - The manifest

extension Driver {
  /// Reads a manifest.
  init(manifest path: String) throws {
    let json: JSON
    do {
      json = try JSONReader.value(of: try Data(contentsOf: URL(fileURLWithPath: path)))
    } catch let error as JSONError {
      throw UsageError("\(path): \(error)")
    }
    let reader = ManifestReader(path: path, json: json)
    try reader.checkNames()
    guard case .number(1)? = json["atlas"] else {
      throw UsageError("\(path): “atlas” is the number of the protocol, which is 1")
    }
    id = try reader.text("id")
    guard !id.isEmpty, id.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) })
    else {
      throw UsageError("\(path): the id “\(id)” may hold only letters, digits, “-”, “_” and “.”")
    }
    name = try reader.text("name")
    version =
      if let command = json["version"]?.elements {
        .command(try reader.texts("version", in: command))
      } else {
        .text(try reader.text("version"))
      }
    language = try reader.text("language", else: "")
    homepage = try reader.text("homepage", else: "")
    apis = Set(try reader.texts("apis", in: json["apis"]?.elements ?? []))
    guard apis.isSubset(of: ["classic", "modern"]) else {
      throw UsageError("\(path): “apis” holds “classic”, “modern” or both")
    }
    takesTexts = try reader.boolean("text")
    guard takesTexts || !apis.isEmpty else {
      throw UsageError("\(path): neither “apis” nor “text”: no questions")
    }
    folder = URL(fileURLWithPath: path).deletingLastPathComponent()
    program = try reader.text("program")
    let kind = try reader.text("as", else: "link")
    guard ["link", "copy"].contains(kind) else { throw UsageError("\(path): “as” is link or copy") }
    isCopied = kind == "copy"
    environment = try reader.dictionary("environment")
    files = try reader.dictionary("files")
    guard files.keys.allSatisfy({ !$0.contains("/") && !["", ".", "..", Scene.processName].contains($0) })
    else {
      throw UsageError(
        "\(path): a name in “files” is the plain name of a file, other than \(Scene.processName)")
    }
    store = try reader.text("store", else: "{home}/Defaults")
    guard store.hasPrefix("{home}/"), !store.split(separator: "/").contains("..") else {
      throw UsageError("\(path): “store” is a folder below {home}")
    }
    fileName = try reader.text("fileName", else: "{domain}.plist")
    guard !fileName.contains("/") else {
      throw UsageError("\(path): “fileName” names a file, without a folder")
    }
    seconds = try reader.seconds("seconds", else: 60)
    build = try reader.texts("build", in: json["build"]?.elements ?? [])
    builtIn = nil
  }

  /// The driver that this program is for a class that it contains.
  init(_ implementation: Implementation, runner: String) {
    id = implementation.rawValue
    name = implementation.name
    version = .text("")
    language = "Swift"
    homepage = implementation.homepage
    apis = implementation.apis
    takesTexts = implementation.takesTexts
    program = runner
    // Foundation would follow a link, and name the domain after the real file.
    isCopied = implementation == .foundation
    var environment = [
      Implementation.variable: implementation.rawValue, "OPENSTEP_DEFAULTS_DIR": "{store}",
      // The directory of Foundation's files on Linux; no other code uses the variable.
      "XDG_CONFIG_HOME": "{store}",
      // Printing a stack trace takes longer than everything else; the message is printed without it.
      "SWIFT_BACKTRACE": "enable=no",
    ]
    if implementation == .gnustepCompat {
      environment["GNUSTEP_CONFIG_FILE"] = "{scene}/GNUstep.conf"
      files = ["GNUstep.conf": "GNUSTEP_USER_DEFAULTS_DIR={store}\n"]
    } else {
      files = [:]
    }
    self.environment = environment
    store = "{home}/Defaults"
    fileName = "{domain}.plist"
    seconds = implementation.timeLimit
    build = []
    folder = URL(fileURLWithPath: "/")
    builtIn = implementation
  }
}

/// Reads the members of a manifest, and names the file and the member where one is wrong.
private struct ManifestReader {
  let path: String
  let json: JSON

  private static let names: Set<PropertyListKey> = [
    "atlas", "id", "name", "version", "language", "homepage", "apis", "text", "program", "as", "environment",
    "files", "store", "fileName", "seconds", "build",
  ]

  /// Refuses a member that no manifest has: it is most probably misspelt.
  func checkNames() throws {
    guard case .object(let members) = json else { throw UsageError("\(path): a manifest is a JSON object") }
    for name in members.keys.sorted() where !ManifestReader.names.contains(name) {
      throw UsageError("\(path): a manifest has no “\(name.text)”")
    }
  }

  func text(_ name: PropertyListKey, else substitute: String? = nil) throws -> String {
    guard let member = json[name] else {
      if let substitute { return substitute }
      throw UsageError("\(path): the manifest lacks “\(name.text)”")
    }
    guard let text = member.text, !text.utf8.contains(0) else {
      throw UsageError("\(path): “\(name.text)” is a string")
    }
    return text
  }

  func texts(_ name: String, in elements: [JSON]) throws -> [String] {
    let texts = elements.compactMap(\.text)
    guard texts.count == elements.count else { throw UsageError("\(path): “\(name)” is an array of strings") }
    return texts
  }

  func boolean(_ name: PropertyListKey) throws -> Bool {
    switch json[name] {
    case nil: return false
    case .boolean(let value)?: return value
    default: throw UsageError("\(path): “\(name.text)” is true or false")
    }
  }

  func seconds(_ name: PropertyListKey, else substitute: Double) throws -> Double {
    switch json[name] {
    case nil: return substitute
    case .number(let value)? where value > 0 && value <= 600: return value
    default: throw UsageError("\(path): “\(name.text)” is a number of seconds, at most 600")
    }
  }

  func dictionary(_ name: PropertyListKey) throws -> [String: String] {
    guard let member = json[name] else { return [:] }
    guard case .object(let entries) = member else {
      throw UsageError("\(path): “\(name.text)” is an object of strings")
    }
    var texts: [String: String] = [:]
    for (key, value) in entries {
      guard let text = value.text, !text.utf8.contains(0), !key.text.utf8.contains(0) else {
        throw UsageError("\(path): “\(name.text)” is an object of strings")
      }
      texts[key.text] = text
    }
    return texts
  }
}
