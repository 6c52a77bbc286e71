import OpenStepPropertyList

/// The manual page of the tool in roff, from the table of verbs.
enum ManualPage {
  /// The page for `man`, in the macros of section 1.
  static var text: String {
    var lines = [
      ".TH DEFAULTS 1 \"\" \"OpenStepDefaults \(PackageVersion.text)\"", ".SH NAME",
      "defaults \\- read and write the user\\(aqs defaults database", ".SH SYNOPSIS",
      ".B defaults", "[\\-u user] [\\-gnustep] [\\-macos] command [option ...] [argument ...]",
      ".SH COMMANDS",
    ]
    for command in DefaultsCommand.table {
      for form in command.forms {
        lines.append(".TP")
        lines.append(
          ".B defaults \(escaped(command.name + (form.arguments.isEmpty ? "" : " " + form.arguments)))")
        lines.append(escaped(form.summary))
      }
      let examples = command.forms.map(\.example).filter { !$0.isEmpty }
      guard !command.discussion.isEmpty || !examples.isEmpty else { continue }
      lines.append(".RS")
      for part in HelpText(command.discussion).parts where !command.discussion.isEmpty {
        let text = part.lines.map(escapedLine)
        lines += part.isProse ? text : [".nf"] + text + [".fi"]
      }
      for example in examples {
        let text = example.split(separator: "\n", omittingEmptySubsequences: false).map(escapedLine)
        lines += [".PP", ".nf"] + text + [".fi"]
      }
      lines.append(".RE")
    }
    for topic in HelpTopic.all {
      lines.append(".SH \(topic.heading)")
      for part in HelpText(topic.text).parts {
        let text = part.lines.map(escapedLine)
        lines += part.isProse ? text : [".nf"] + text + [".fi"]
      }
      lines += [".PP", ".nf"] + topic.example.split(separator: "\n").map(escapedLine) + [".fi"]
    }
    lines.append(".SH OPTIONS")
    for (option, summary) in HelpCommand.options {
      lines += [".TP", ".B \(escaped(option))", escaped(summary)]
    }
    lines.append(".SH EXIT STATUS")
    for code in ExitCode.allCases { lines += [".TP", ".B \(code.rawValue)", escaped(code.summary)] }
    lines += [".SH ENVIRONMENT"]
    for (name, meaning) in variables { lines += [".TP", ".B \(name)", escaped(meaning)] }
    return lines.joined(separator: "\n")
  }

  private static let variables = [
    (
      "OPENSTEP_DEFAULTS_DIR",
      "the directory of the database; ~/.OpenStep/Defaults without it, and for another user of -u"
    ),
    (OutputStyle.environmentVariable, "macos or openstep: whose output is printed"),
    (HistoryRecorder.environmentVariable, "off: what is changed is not recorded"),
    ("NO_COLOR", "if it is not empty, a terminal gets no colours; nor does one whose TERM is “dumb”"),
  ]

  /// A line that stays as it is, even if it begins as a request of roff does.
  private static func escapedLine(_ line: Substring) -> String {
    let text = escaped(String(line))
    return text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" + text : text
  }

  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      case "'": result += "\\(aq"
      case "“": result += "\\(lq"
      case "”": result += "\\(rq"
      case "…": result += "..."
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
