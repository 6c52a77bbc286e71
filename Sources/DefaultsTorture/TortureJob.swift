import DefaultsDatabase
import OpenStepPropertyList

/// The work of one child process of `torture`.
struct TortureJob {
  /// The environment variable that contains the job; a process that has it is a child.
  static let variable = "DEFAULTS_TORTURE_JOB"

  enum Work: String {
    /// Set and synchronize keys until something ends the process.
    case write
    /// Set and synchronize a number of keys, and end.
    case race
    /// Count a number up by commits, and end; without an end for no keys.
    case count
    /// Make calls that a stopped process could delay, and measure their duration.
    case wait
    /// Set keys without a synchronize, and end in the way that ``TortureJob/ending`` says.
    case end
  }

  /// How a process ends.
  enum Ending: String, CaseIterable {
    case returnFromMain = "return from main"
    case exit
    case exitFromThread = "exit from a thread"
    case trap
    case uncaughtError = "uncaught error"
    case exitAtOnce = "_exit"
    case terminate = "SIGTERM"
    case kill = "SIGKILL"

    /// Whether no change may be lost.
    var isNormal: Bool {
      switch self {
      case .returnFromMain, .exit, .exitFromThread: true
      case .trap, .uncaughtError, .exitAtOnce, .terminate, .kill: false
      }
    }

    /// The signal by which the parent ends the process; nil if the process ends itself.
    var signal: Signal? {
      switch self {
      case .terminate: .terminate
      case .kill: .kill
      case .returnFromMain, .exit, .exitFromThread, .trap, .uncaughtError, .exitAtOnce: nil
      }
    }
  }

  let work: Work
  /// The directory of the database.
  let directory: String
  /// The path of the file with the child's notes; the paths of its other files begin with it.
  let notes: String
  /// Distinguishes the keys of this child from those of others on the same database.
  var number = 0
  var keys = 0
  var threads = 1
  /// The number of keys to set before each synchronize.
  var keysPerSave = 1
  var ending = Ending.returnFromMain
  /// The parent process, with which the child has to end.
  var parent = CurrentProcess.identifier

  /// The job as a property list.
  var text: String {
    get throws {
      try PropertyList.dictionary([
        "work": .string(work.rawValue), "directory": .string(directory), "notes": .string(notes),
        "number": .string(String(number)), "keys": .string(String(keys)),
        "threads": .string(String(threads)), "keysPerSave": .string(String(keysPerSave)),
        "ending": .string(ending.rawValue),
        "parent": .string(String(parent)),
      ]).text(style: .oneLine)
    }
  }

  init(
    _ work: Work, directory: String, notes: String, number: Int = 0, keys: Int = 0, threads: Int = 1,
    keysPerSave: Int = 1, ending: Ending = .returnFromMain
  ) {
    (self.work, self.directory, self.notes, self.number) = (work, directory, notes, number)
    (self.keys, self.threads, self.keysPerSave, self.ending) = (keys, threads, keysPerSave, ending)
  }

  /// Reads a job that a parent wrote.
  init(text: String) throws {
    let values = try PropertyList(parsing: text)
    func value(_ key: PropertyListKey) throws(TortureError) -> String {
      guard case .dictionary(let entries) = values, let text = entries[key]?.scalarText else {
        throw TortureError("\(TortureJob.variable) is for the children of “torture” only")
      }
      return text
    }
    guard let work = Work(rawValue: try value("work")), let number = Int(try value("number")),
      let keys = Int(try value("keys")), let threads = Int(try value("threads")),
      let keysPerSave = Int(try value("keysPerSave")), keysPerSave > 0,
      let ending = Ending(rawValue: try value("ending")), let parent = Int32(try value("parent"))
    else { throw TortureError("\(TortureJob.variable) holds no job") }
    self.init(
      work, directory: try value("directory"), notes: try value("notes"), number: number, keys: keys,
      threads: threads, keysPerSave: keysPerSave, ending: ending)
    self.parent = parent
  }
}
