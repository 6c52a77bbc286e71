// The ports of the programs in Compat/Porting/Originals, in one program: as which of them it runs depends on
// the name by which it is started, which is also the name of its domain. The tests start it by links with
// these names.

import Foundation

let programs: [String: @MainActor () throws -> Void] = [
  "command": Command.main,
  "desktop": Desktop.main,
  "dock": Dock.main,
  "extractors": Extractors.main,
  "mailserver": Mailserver.main,
  "palette": Palette.main,
  "pane": Pane.main,
  "preference": PreferenceProgram.main,
  "speech": Speech.main,
  "terminal": Terminal.main,
  "traps": Traps.main,
]
let name = URL(fileURLWithPath: CommandLine.arguments[0]).lastPathComponent
guard let program = programs[name] else {
  print("start it by a link with one of these names: \(programs.keys.sorted().joined(separator: ", "))")
  exit(2)
}
do {
  try program()
} catch {
  print("\(name): \(error)")
  exit(1)
}
