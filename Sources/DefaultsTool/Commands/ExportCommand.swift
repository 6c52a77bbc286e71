import DefaultsDatabase
import OpenStepPropertyList

/// `export`: writes domains as files of their own.
enum ExportCommand: Subcommand {
  static let name = "export"
  static let forms = [
    CommandForm(
      "[-to FORMAT] [-replace] DIR [domain …]", "write domains, or all, as files of their own"),
    CommandForm("[-to FORMAT] - domain", "print a domain as such a file"),
  ]
  static let discussion = """
    FORMAT is one of
      openstep  text with notes behind typed values, assumed at first; it holds every value
      gnustep   GNUstep's text: pure ASCII, typed values as <*I5>
      xml       Apple's XML
      binary    Apple's binary format
    A domain is the file DIR/domain.plist, which “defaults import DIR” takes back as it was. The
    directory is made where it is missing. A file that is there already stays and is told of, but
    with -replace. A domain with a value that the format cannot hold exactly is refused, exit
    code 3, and the others are written.
    """

  static func run(_ arguments: [String], in context: CommandContext) throws -> ExitCode {
    let request = try Request(arguments)
    let database = try context.openDatabase()
    guard request.isPrinted || !database.lies(in: request.path) else {
      throw CommandError(.refused, "\(request.path): is the database itself; nothing was done")
    }
    let directory = ExportDirectory(DatabaseLocation.resolve(argument: request.path))
    let domains = request.domains.isEmpty ? try database.domainNames() : request.domains
    var code = ExitCode.done
    for (index, domain) in domains.enumerated() {
      do {
        let bytes = try request.bytes(of: try database.existingValues(of: domain), in: domain)
        if request.isPrinted {
          try context.output.write(bytes)
        } else {
          try directory.write(bytes, of: domain, replacing: request.replaces)
        }
      } catch let error as StreamError {
        throw error
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

  /// The arguments taken apart.
  private struct Request {
    let format: Format
    let replaces: Bool
    let path: String
    /// None for all.
    let domains: [DomainName]
    /// Whether standard output stands in place of a directory.
    var isPrinted: Bool { path == "-" }

    init(_ arguments: [String]) throws {
      var format = Format.openstep
      var replaces = false
      var words: [String] = []
      var rest = arguments[...]
      while let argument = rest.popFirst() {
        switch argument {
        case "-to" where words.isEmpty:
          let formats = Format.allCases.map(\.rawValue).joined(separator: ", ")
          guard let name = rest.popFirst() else { throw usageError("“-to” takes a format: \(formats)") }
          guard let named = Format(rawValue: name) else {
            throw usageError("there is no format “\(name)”, but \(formats)")
          }
          format = named
        case "-replace" where words.isEmpty:
          replaces = true
        case _ where argument.hasPrefix("-") && argument != "-" && words.isEmpty:
          throw usageError(
            "“export” has no option “\(argument)”; a directory of that name is “./\(argument)”")
        default:
          words.append(argument)
        }
      }
      guard let path = words.first, !path.isEmpty else {
        throw usageError("“export” takes a directory, or - and a domain")
      }
      if path == "-", words.count != 2 { throw usageError("“export -” takes one domain") }
      if path == "-", replaces { throw usageError("“-replace” goes with a directory") }
      self.format = format
      self.replaces = replaces
      self.path = path
      domains = try words.dropFirst().map { name in try DomainName(name) }
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
