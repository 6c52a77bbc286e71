import Foundation
import TestSupport

/// A program of `Tests/GNUstepPrograms` that is compiled with or without the class of `Compat/C/ObjectiveC`, from the
/// same sources.
struct ObjectiveCProgram: Sendable {
  static let sources = CProgram.package.appendingPathComponent("Tests/GNUstepPrograms").path
  private static let classes = CProgram.package.appendingPathComponent("Compat/C/ObjectiveC").path
  private static let products = (CProgram.library as NSString).deletingLastPathComponent

  private static let libraries = ["-L\(products)", "-lopenstepdefaults", "-Wl,-rpath,\(products)"]

  let path: String

  /// Compiles a program into a directory of its own; its application's domain has its name.
  ///
  /// - Parameters:
  ///   - files: The sources in `Tests/GNUstepPrograms`, in the order in which they are linked.
  ///   - usesLibrary: Whether its standard defaults are the library's.
  ///   - isClassFirst: Whether the class is linked, and so loaded, before the program's own.
  ///   - others: What else is linked.
  init(
    _ name: String, _ files: [String], usesLibrary: Bool, isClassFirst: Bool = false, in home: TemporaryHome,
    others: [String] = []
  ) throws {
    let directory = "\(home.path)/\(usesLibrary ? "library" : "plain")\(isClassFirst ? "-first" : "")"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    path = "\(directory)/\(name)"
    // The flags contain -MMD, which would write beside the sources.
    let flags = "$(gnustep-config --objc-flags) -MF /dev/null"
    let sources = files.map { "\(ObjectiveCProgram.sources)/\($0)" }
    var linked = sources + others
    if usesLibrary {
      // The class must not cause a warning.
      let object = "\(directory)/OSDUserDefaults.o"
      try ObjectiveCProgram.shell(
        "gcc \(flags) -Wall -Wextra -Werror -Wno-expansion-to-defined -I\"$1\" -c -o \"$2\" \"$3\"",
        [CProgram.headers, object, "\(ObjectiveCProgram.classes)/OSDUserDefaults.m"])
      linked = (isClassFirst ? [object] + sources : sources + [object]) + ObjectiveCProgram.libraries + others
    }
    try ObjectiveCProgram.shell(
      "program=$1; shift; gcc \(flags) -o \"$program\" \"$@\" $(gnustep-config --base-libs)", [path] + linked)
  }

  /// Makes a program by gnustep-make, in a copy of its folder in `Tests/GNUstepPrograms`.
  init(made folder: String, usesLibrary: Bool, in home: TemporaryHome) throws {
    let directory = "\(home.path)/\(usesLibrary ? "library" : "plain")"
    path = "\(directory)/obj/\(folder)"
    try FileManager.default.copyItem(atPath: "\(ObjectiveCProgram.sources)/\(folder)", toPath: directory)
    // The lines of the guide, with the build's products in place of an installed library.
    let lines = """
      vpath %.m \(ObjectiveCProgram.classes)
      \(folder)_OBJC_FILES += OSDUserDefaults.m
      ADDITIONAL_OBJCFLAGS += -I\(CProgram.headers)
      ADDITIONAL_TOOL_LIBS += \(ObjectiveCProgram.libraries.joined(separator: " "))

      """
    if usesLibrary {
      try lines.write(toFile: "\(directory)/library.make", atomically: false, encoding: .utf8)
    }
    try ObjectiveCProgram.shell(
      "GNUSTEP_MAKEFILES=$(gnustep-config --variable=GNUSTEP_MAKEFILES) exec make -C \"$1\"", [directory])
  }

  /// A library of the Swift part, `Tests/CPrograms/Part.swift`, as arguments that link it.
  static func part(in home: TemporaryHome) throws -> [String] {
    let maps = try ["CDefaultsFileRights", "CDefaultsEngineMark"].flatMap { name in
      let map = "\(products)/\(name).build/module.modulemap"
      guard FileManager.default.fileExists(atPath: map) else {
        throw CProgram.Failure(description: "there is no \(map)")
      }
      return ["-Xcc", "-fmodule-map-file=\(map)"]
    }
    try run(
      CProgram.find("swiftc") ?? "swiftc",
      [
        "-emit-library", "-parse-as-library", "-swift-version", "6", "-module-name", "Part", "-o",
        "\(home.path)/libpart.so", "\(CProgram.programs)/Part.swift", "-I", "\(products)/Modules", "-L",
        products, "-lopenstepdefaults",
      ] + maps)
    return ["-L\(home.path)", "-lpart", "-Wl,-rpath,\(home.path)"]
  }

  private static func shell(_ command: String, _ arguments: [String]) throws {
    try run("/bin/sh", ["-c", command, "sh"] + arguments)
  }

  private static func run(_ path: String, _ arguments: [String]) throws {
    let output = try CProgram.run(path, arguments)
    guard output.status == 0 else { throw CProgram.Failure(description: output.text + output.errors) }
  }

  /// Runs the program on a home's database.
  ///
  /// - Parameter languages: The user's languages, as the variable `LANGUAGE` has them; English is always one.
  func run(_ arguments: [String], in home: GNUstepHome, languages: String = "") throws -> CProgram.Output {
    let output = try CProgram.run(
      path, arguments, home.environment.merging(["LC_ALL": "C", "LANGUAGE": languages]) { $1 })
    guard output.status == 0 else {
      throw CProgram.Failure(description: "\(arguments) of \(path): \(output)")
    }
    return output
  }
}
