// notes: keeps short notes in the user's defaults.
//
//   notes add TEXT      adds a note, and forgets the oldest beyond the limit
//   notes list          prints the notes
//   notes frame X Y     remembers where the window stood
//   notes show          prints every setting
//   notes forget        removes all that was set

import Foundation
import GNUstepCompat
import OpenStepDefaults
import Synchronization

/// Counts notifications, which arrive on the thread that makes a change.
final class ChangeCounter: Sendable {
  private let count = Atomic(0)

  var value: Int { count.load(ordering: .relaxed) }

  func increment() {
    count.wrappingAdd(1, ordering: .relaxed)
  }
}

final class Notebook {
  private let defaults: NSUserDefaults = GNUstepUserDefaults.standardUserDefaults()
  private let changes = ChangeCounter()
  private var observer: (any NSObjectProtocol)?

  init() {
    defaults.registerDefaults(["Title": "Notes", "Limit": "3", "Newest first": "NO", "Font size": "12.5"])
    observer = NotificationCenter.default.addObserver(
      forName: NSUserDefaultsDidChangeNotification, object: defaults, queue: nil
    ) { [changes] _ in changes.increment() }
  }

  deinit {
    if let observer { NotificationCenter.default.removeObserver(observer) }
  }

  private func add(_ text: String) {
    var notes = defaults.stringArrayForKey("Texts") ?? []
    let limit = defaults.integerForKey("Limit")
    notes.append(text)
    while notes.count > limit { notes.removeFirst() }
    defaults.setObject(notes, forKey: "Texts")
    defaults.setInteger(defaults.integerForKey("Added") + 1, forKey: "Added")
  }

  private func list() {
    let notes = defaults.stringArrayForKey("Texts") ?? []
    let size = String(format: "%g", defaults.floatForKey("Font size"))
    print("\(defaults.stringForKey("Title") ?? ""), at \(size) points:")
    for text in defaults.boolForKey("Newest first") ? notes.reversed() : notes { print("- \(text)") }
  }

  private func frame(x: String, y: String) {
    defaults.setObject(["X": x, "Y": y], forKey: "Frame")
    do {
      // Where the original catches an exception, this checks first: a setter stops the
      // program for such a value.
      try NSUserDefaults.checkObject(self, forKey: "Window")
      defaults.setObject(self, forKey: "Window")
    } catch {
      print("refused: NSInvalidArgumentException")
    }
  }

  private func show() {
    let own = defaults.persistentDomainForName("notes") ?? [:]
    for key in own.keys.sorted() { print("\(key) is set") }
    print("\(defaults.integerForKey("Added")) added")
    if let frame = defaults.dictionaryForKey("Frame") as? [String: String] {
      print("the window stood at \(frame["X"] ?? ""), \(frame["Y"] ?? "")")
    }
    print("registered: \(defaults.volatileDomainForName(NSRegistrationDomain)?.count ?? 0)")
  }

  func run(_ arguments: [String]) -> Int32 {
    switch arguments.dropFirst().first {
    case "add" where arguments.count > 2: add(arguments[2])
    case "frame" where arguments.count > 3: frame(x: arguments[2], y: arguments[3])
    case "forget": defaults.removePersistentDomainForName("notes")
    case "show": show()
    default: list()
    }
    print("\(changes.value) changes")
    return defaults.synchronize() ? 0 : 1
  }
}

exit(Notebook().run(CommandLine.arguments))
