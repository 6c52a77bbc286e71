import DefaultsDatabase
import OpenStepPropertyList

/// `export`: writes domains as files of their own.
enum ExportCommand: Subcommand {
  static let name = "export"
  static let takesDomain = true
  static let forms = [
    CommandForm("[-to FORMAT] [-replace] domain PATH", "write a domain as one file; - prints it"),
    CommandForm(
      "[-to FORMAT] [-replace] -into DIR [domain …]", "write domains, or all, as files there"),
  ]
  static let discussion = """
    FORMAT is one of
      openstep  text with notes behind typed values, assumed at first; it holds every value
      gnustep   GNUstep's text: pure ASCII, typed values as <*I5>
      xml       Apple's XML
      binary    Apple's binary format
    “defaults import domain PATH” takes a file back as it was, and “defaults import DIR” the
    files DIR/domain.plist. Directories are made where they are missing. A file that is there
    already stays and is told of, but with -replace. A domain with a value that the format cannot
    hold exactly is refused, exit code 3, and the others are written.
    Behind -- stand domains only, also those whose names begin with a hyphen.
    """

  static func run(_ arguments: [String], in context: CommandContext) throws -> ExitCode {
    let request = try Request(arguments)
    let database = try context.openDatabase()
    switch request.target {
    case .standardOutput(let domain):
      try context.output.write(request.bytes(of: try database.existingValues(of: domain), in: domain))
      return .done
    case .file(let domain, let path):
      let file = ExportFile(DatabaseLocation.resolve(argument: path))
      guard !database.lies(in: file.directory) else {
        throw CommandError(.refused, "\(path): lies in the database itself; nothing was done")
      }
      let bytes = try request.bytes(of: try database.existingValues(of: domain), in: domain)
      try file.write(bytes, replacing: request.replaces)
      return .done
    case .directory(let path, let domains):
      return try write(
        domains.isEmpty ? try database.domainNames() : domains, of: database, into: path, request, context)
    }
  }

  /// Writes domains into a directory; one that cannot be written is reported, and the others are.
  private static func write(
    _ domains: [DomainName], of database: UserDatabase, into path: String, _ request: Request,
    _ context: CommandContext
  ) throws -> ExitCode {
    guard !database.lies(in: path) else {
      throw CommandError(.refused, "\(path): is the database itself; nothing was done")
    }
    let directory = DatabaseLocation.resolve(argument: path)
    var code = ExitCode.done
    for (index, domain) in domains.enumerated() {
      do {
        let bytes = try request.bytes(of: try database.existingValues(of: domain), in: domain)
        try ExportFile(of: domain, in: directory).write(bytes, replacing: request.replaces)
      } catch {
        let error = CommandError(error)
        try context.output.report(error)
        code = max(code, error.code)
      }
      if domains.count >= 50, index % 10 == 0 {
        try context.output.showProgress("\(index) of \(domains.count) domains")
      }
    }
    return code
  }

  /// What `-to` may name.
  private enum Format: String, CaseIterable {
    case openstep, gnustep, xml, binary

    var fileFormat: DomainFileFormat {
      switch self {
      case .openstep: .openStep
      case .gnustep: .gnustep
      case .xml: .xml
      case .binary: .binary
      }
    }
  }

  /// Where to write what.
  private enum Target {
    case standardOutput(DomainName)
    case file(DomainName, path: String)
    /// No domains stand for all.
    case directory(path: String, [DomainName])
  }

  /// The arguments taken apart.
  private struct Request {
    let format: Format
    let replaces: Bool
    let target: Target

    init(_ arguments: [String]) throws {
      var format = Format.openstep
      var replaces = false
      var directory: String?
      var words: [String] = []
      var rest = arguments[...]
      while let argument = rest.popFirst() {
        switch argument {
        case "-to":
          format = try Request.format(named: rest.popFirst())
        case "-replace":
          replaces = true
        case "-into":
          guard let name = rest.popFirst(), !name.isEmpty else {
            throw usageError("“-into” takes a directory")
          }
          directory = name
        case "-g":
          words.append(DomainName.global.text)
        case "--":
          words += rest
          rest = []
        case _ where argument.hasPrefix("-") && argument != "-":
          throw usageError(
            "“export” has no option “\(argument)”; a domain of that name stands behind “--”, a file is “./\(argument)”"
          )
        default:
          words.append(argument)
        }
      }
      self.format = format
      self.replaces = replaces
      target = try Request.target(words, in: directory)
      if case .standardOutput = target, replaces {
        throw usageError("“-replace” goes with a file or with “-into”")
      }
    }

    private static func format(named name: String?) throws(CommandError) -> Format {
      let formats = Format.allCases.map(\.rawValue).joined(separator: ", ")
      guard let name else { throw usageError("“-to” takes a format: \(formats)") }
      guard let format = Format(rawValue: name) else {
        throw usageError("there is no format “\(name)”, but \(formats)")
      }
      return format
    }

    private static func target(_ words: [String], in directory: String?) throws -> Target {
      if let directory {
        return .directory(path: directory, try words.map { name in try DomainName(name) })
      }
      guard words.count == 2, !words[1].isEmpty else {
        throw usageError("“export” takes a domain and a file, or - to print it; or “-into” and a directory")
      }
      let domain = try DomainName(words[0])
      if words[1] == "-" { return .standardOutput(domain) }
      guard words[1].utf8.last != UInt8(ascii: "/") else {
        throw usageError("“\(words[1])” names no file; “-into” writes into a directory")
      }
      return .file(domain, path: words[1])
    }

    /// A domain's file.
    func bytes(
      of values: [PropertyListKey: PropertyList], in domain: DomainName
    ) throws(CommandError) -> [UInt8] {
      do throws(FormatError) {
        return try format.fileFormat.exactBytes(of: .dictionary(values))
      } catch {
        throw CommandError(
          .refused,
          "the domain “\(domain)” was not exported: \(reason(error, in: values)); “-to openstep” holds every value"
        )
      }
    }

    /// The first key that the format cannot hold, and why.
    private func reason(_ error: FormatError, in values: [PropertyListKey: PropertyList]) -> String {
      for (key, value) in values.sorted(by: { $0.key < $1.key }) {
        do throws(FormatError) {
          _ = try format.fileFormat.exactBytes(of: [key: value])
        } catch {
          return "the key “\(key)”: \(error)"
        }
      }
      return error.description
    }
  }
}
