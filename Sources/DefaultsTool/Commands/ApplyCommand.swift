import DefaultsDatabase
import OpenStepPropertyList

/// `apply`: makes the database what files ask for.
enum ApplyCommand: Subcommand {
  static let name = "apply"
  static let takesWordsInOrder = true
  static let forms = [
    CommandForm(
      "[-n|-check] FILE…", "make the database what files ask for",
      example: """
        $ echo '{ Set = { App = { Font = Courier; }; }; }' > state
        $ defaults apply state
        set App Font Courier
        $ defaults apply -check state
        """)
  ]
  static let discussion = """
    A file is a property list of any format, or JSON, with at most three keys:

      {
          Set = {
              App = { Font = Helvetica; Columns = 80 /*integer*/; ".Window.x" = 10 /*integer*/; };
          };
          Delete = { App = (OldKey, ".Window.old"); };
          Replace = { Tool = { A = 1; }; };
      }

    Set: these keys get these values, and others stay. Delete: these keys are absent afterwards.
    Replace: the domain is exactly that. Types count. A key that begins with . or [ is a path. A key
    stands once in all files, and a domain of Replace in nothing else. What would do something else each
    time is refused: [+], an element in Delete, and elements of one array that are counted from both
    ends. A path that leads through a value without such keys or elements is reported, exit code 3, and
    the others are done.
    Each change is a line: “set App Font Helvetica (was Courier)”, “delete App OldKey (was 5)”; nothing
    is printed and written where all is so already. All files are read first; “defaults undo” takes
    back the whole. Of a damaged domain “Replace” keeps the file under another name, and Set and Delete are
    refused. -n prints the lines and writes nothing; so does -check, with the exit code 6 if there
    are any. A key that the administrator sets is reported, exit code 3, and the others are done.
    """

  static func run(_ arguments: [String], in context: CommandContext) throws -> ExitCode {
    var words = CommandWords(arguments, of: self, in: context)
    var (isRehearsal, isCheck) = (false, false)
    while let option = try words.option() {
      switch option {
      case "-n", "-dry-run": isRehearsal = true
      case "-check": isCheck = true
      default: throw words.unknown(option)
      }
    }
    let paths = words.all()
    guard !paths.isEmpty else { throw usageError("“apply” takes the names of files") }
    try checkStandardInput(of: paths)
    var state = AppliedState(in: context.dialect)
    for path in paths {
      let file = try SourceFile(path, in: context)
      // The keys of such a file are this command's.
      let value = try file.recognisedValue(context.output, as: .openStep)
      try file.refuseEqualKeys()
      try context.output.tellOfLostCharacter(
        in: file.bytes, called: file.name, writing: value, as: [],
        options: file.options(of: value, eightBitEncoding: .nextStep, as: .openStep))
      try state.add(value, from: file.name)
    }
    context.output.finishFirst()
    var (code, isChanged) = (ExitCode.done, false)
    for (domain, requests) in state.requests.sorted(by: { $0.key < $1.key }) {
      do {
        let result = try apply(requests, to: domain, rehearsing: isRehearsal || isCheck, in: context)
        if result.isChanged { isChanged = true }
        for error in result.refusals {
          try context.output.report(error)
          code = max(code, error.code)
        }
        for change in result.changes {
          try context.output.print(line(for: change, of: domain, context.output))
        }
      } catch let error where !(error is StreamError) {
        let error = CommandError(error, of: domain, among: state.requests.count)
        try context.output.report(error)
        code = max(code, error.code)
      }
    }
    return isCheck && isChanged ? max(code, .differs) : code
  }

  /// Applies the requests about one domain in one step.
  ///
  /// - Returns: the changes that were made, why others were not, and whether the file was changed.
  private static func apply(
    _ requests: [AppliedState.Request], to domain: DomainName, rehearsing isRehearsal: Bool,
    in context: CommandContext
  ) throws -> (changes: [AppliedState.Change], refusals: [CommandError], isChanged: Bool) {
    let managed = try context.managedKeys()
    let subject = try DomainSubject(domain, in: context)
    var (changes, refusals): ([AppliedState.Change], [CommandError]) = ([], [])
    func applied(to root: PropertyList?, in capacity: FileCapacity) throws -> PropertyList? {
      (changes, refusals) = ([], [])
      var result = root
      for request in requests {
        do {
          let (made, refused) = try AppliedState.carryOut(
            request, in: &result, holding: { try capacity.held($0) },
            checking: { try managed.check($0, in: domain) })
          changes += made
          refusals += refused.map { CommandError($0).withOutcome("this was left as it is") }
        } catch let error as PropertyListPathError {
          // A step that would do elsewhere, such as [+], is not taken here.
          refusals.append(CommandError(.refused, "\(domain): \(error.reason); this was left as it is"))
        } catch let error as CommandError {
          refusals.append(error.withOutcome("this was left as it is"))
        }
      }
      return result
    }
    let damage = requests.contains(where: \.replacesAll) ? try subject.database.load(domain).damage : nil
    // Tried first without the lock, which makes a directory where there is none.
    _ = try applied(
      to: damage == nil ? subject.load() : nil, in: subject.database.capacity(of: domain))
    // A damaged file differs from every state that is asked for, also from an empty one.
    let isChanged = !changes.isEmpty || damage != nil && refusals.isEmpty
    if let damage, isChanged {
      if isRehearsal {
        try context.output.reportDamage(toReplace: damage)
      } else {
        try subject.replaceAll { try applied(to: $0, in: $1) }
      }
    } else if isChanged {
      _ = try subject.change(rehearsing: isRehearsal) { try applied(to: $0, in: $1) }
    }
    return (changes, refusals, isChanged)
  }

  private static func line(
    for change: AppliedState.Change, of domain: DomainName, _ output: CommandOutput
  ) throws -> String {
    let names = try [domain.text, KeyArgument.text(of: change.path)].map { name in
      try DefaultLine.token(ofName: name, escaping: output.escapes)
    }
    let was = try change.old.map { "(was \(try DefaultLine.token(of: $0, escaping: output.escapes)))" }
    let new = try change.new.map { try DefaultLine.token(of: $0, escaping: output.escapes) }
    let parts: [String?] = [new == nil ? "delete" : "set", names[0], names[1], new, was]
    return parts.compactMap { $0 }.joined(separator: " ")
  }
}
