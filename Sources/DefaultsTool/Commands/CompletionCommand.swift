/// `completion`: completes words of this tool's command lines in a shell.
enum CompletionCommand: Subcommand {
  static let name = "completion"
  static let forms = [
    CommandForm(
      "bash|zsh|fish", "print the script that completes words in that shell",
      example: """
        $ defaults completion bash | tail -n 1
        complete -o default -F _defaults defaults
        """),
    CommandForm(
      "-words N WORD…", "list what the N-th word of a command line may be",
      example: """
        $ defaults completion -words 2 defaults expl
        explain
        """),
  ]
  static let discussion = """
    Verbs, options, domains, keys, paths, formats, kinds of stores, snapshots and the numbers of “undo”
    are completed; where there are none, and for paths, the shell offers files. To have it in bash:

      defaults completion bash > ~/.local/share/bash-completion/completions/defaults

    The scripts call “defaults completion -words”, where the command itself is the first word.
    """

  static func run(_ arguments: [String], in context: CommandContext) throws -> ExitCode {
    if arguments.first == "-words" {
      guard arguments.count >= 2, let number = Int(arguments[1]), number >= 2 else {
        throw usageError("“-words” takes the number of a word, 2 or more, and the words")
      }
      let words = Array(arguments.dropFirst(3).prefix(number - 1))
      let current = words.count == number - 1 ? words[number - 2] : ""
      let line = CompletedLine(before: Array(words.prefix(number - 2)), current: current, context: context)
      for candidate in line.candidates where candidate.utf8.starts(with: current.utf8) {
        try context.output.print(candidate)
      }
      return .done
    }
    guard arguments.count == 1, let script = scripts[arguments[0]] else {
      throw usageError("“completion” takes a shell: bash, zsh or fish")
    }
    try context.output.print(script)
    return .done
  }

  private static let scripts = [
    "bash": #"""
    _defaults() {
      local line=$COMP_LINE word prefix quote i
      local -a words
      COMPREPLY=()
      # The shell divides words also at signs such as “:”; what no blank divides is one word.
      for ((i = 0; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if ((i > 0)) && [[ $line != [[:blank:]]* &&
          ( -n $line || -z $word && $COMP_LINE == *[![:blank:]] ) ]]; then
          words[${#words[@]} - 1]+=$word
        else
          words+=("$word")
        fi
        line=${line#"${line%%[![:blank:]]*}"}
        line=${line#"$word"}
      done
      word=${words[${#words[@]} - 1]}
      case $word in
        [\'\"]*) quote=${word:0:1} ;;
        *) prefix=${word%"${word##*["${COMP_WORDBREAKS//[^:=]/}"]}"} ;;
      esac
      for i in "${!words[@]}"; do
        word=${words[i]}
        case $word in
          \'*) word=${word#\'} word=${word%\'} ;;
          \"*) word=${word#\"} word=${word%\"} word=${word//\\/} ;;
          *) word=${word//\\/} ;;
        esac
        words[i]=$word
      done
      while IFS= read -r word; do
        case $quote in
          \') word=${word//\'/\'\\\'\'} ;;
          \") word=${word//\\/\\\\} word=${word//\"/\\\"} word=${word//\$/\\\$} word=${word//\`/\\\`} ;;
          *) printf -v word %q "$word"; word=${word#"$prefix"} ;;
        esac
        COMPREPLY+=("$word")
      done < <(defaults completion -words "${#words[@]}" "${words[@]}" 2>/dev/null)
    }
    complete -o default -F _defaults defaults
    """#,
    "zsh": #"""
    #compdef defaults
    _defaults() {
      local -a candidates typed
      # The words as a program would get them; the last one up to the cursor, where a quote may be open.
      typed=("${(@Q)words[1,CURRENT-1]}" "${(Q)PREFIX}")
      candidates=("${(@f)$(defaults completion -words $CURRENT "${(@)typed}" 2>/dev/null)}")
      if [[ -n "$candidates" ]]; then compadd -a candidates; else _files; fi
    }
    compdef _defaults defaults
    """#,
    "fish": #"""
    function __defaults_words
      set -l words (commandline -opc) (commandline -ct)
      defaults completion -words (count $words) $words 2>/dev/null
    end
    complete -c defaults -a '(__defaults_words)'
    """#,
  ]
}
