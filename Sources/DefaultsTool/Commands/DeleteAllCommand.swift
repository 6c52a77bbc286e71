import DefaultsDatabase
import OpenStepPropertyList

/// `delete-all`: removes a domain or a key from every file of the domain's name.
enum DeleteAllCommand: Subcommand {
  static let name = "delete-all"
  static let takesDomain = true
  static let takesWordsInOrder = true
  static let forms = [
    CommandForm(
      "[-n] [-f] domain [key]", "delete it from every file of that name",
      example: """
        $ defaults write App a 1
        $ defaults delete-all App
        $ defaults domains
        """)
  ]
  static let discussion = """
    A domain's file may hide an older one of Window Maker's or NEXTSTEP's form: App.plist hides
    App. “defaults delete” leaves the hidden file alone, and puts an empty one over it; this
    command deletes both, or the key in both. The options are those of “defaults delete”. The history
    has no hidden files: “defaults undo” gives back App.plist, and not App.
    """

  static func run(_ arguments: [String], in context: CommandContext) throws -> ExitCode {
    var words = CommandWords(arguments, of: self, in: context)
    let options = try DeletionOptions(&words)
    guard let operand = try words.domain() else { throw usageError("“delete-all” takes a domain") }
    let key = try words.word().map { word throws(CommandError) in try KeyArgument(word, of: self) }
    try words.end("a domain and a key at most")
    return try options.ignoringAbsence {
      let subject = try operand.subject(in: context)
      var isFound = false
      var absence: CommandError?
      let hidden = try hiddenFile(of: subject, in: context)
      if !hidden.isEmpty {
        // What the administrator forbids is refused before anything is deleted.
        if let key {
          _ = try subject.change(rehearsing: true) { root in (try? root?.removed(at: key.path)) ?? root }
        } else {
          try (subject as? DomainSubject)?.checkRemoval()
        }
      }
      // The hidden file goes first, so that its values never come to light.
      for (index, subject) in (hidden + [subject]).enumerated() {
        do {
          if let key {
            try DeleteCommand.delete(key, of: subject, options, context.output)
          } else {
            try DeleteCommand.delete(subject, options, context.output)
          }
          isFound = true
          if index < hidden.count, !options.isRehearsal {
            try context.output.report(
              CommandError(
                .done, "\(subject.name): was hidden, so that “defaults undo” does not give it back"))
          }
        } catch let error as CommandError where error.code == .absent {
          absence = error
        }
      }
      if !isFound, let absence { throw absence }
    }
  }

  /// The file that a domain's file hides, if there is one.
  private static func hiddenFile(
    of subject: any Subject, in context: CommandContext
  ) throws -> [any Subject] {
    guard let domain = subject as? DomainSubject, let path = try domain.database.hiddenPath(of: domain.domain)
    else { return [] }
    return [FileSubject(path, of: domain.database, in: context)]
  }
}
