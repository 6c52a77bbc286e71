// swift-tools-version: 6.3
import PackageDescription

// The dependency graph. An arrow points to what a target imports: in the first two lines, to its left; in the lines
// below them, upwards and to its left.
//
//   OpenStepPropertyList ◄─ DefaultsDatabase ◄─ DefaultsDomains ◄─ DefaultsFoundation ◄─┬─ OpenStepDefaults ◄─── GNUstepCompat
//   (property lists)        (the disk)          (the engine)       (objects ⇄ values)   │  (the classic class)   (GNUstep's) ◄─ DefaultsC
//                                ▲                    ▲                                 └─ UserDefaultsCompat ◄─ TypedDefaults
//                  DefaultsImport, -History     DefaultsTorture                              (the modern class)    (typed keys)
//                                ▲                    ▲
//                                └────────────────────┴─ DefaultsTool ◄─ defaults
//
// Neither the tool nor a target to the left of DefaultsFoundation imports Foundation. DefaultsDatabase also
// imports CDefaultsFileRights, a few system calls that Swift cannot make; DefaultsTool also imports
// CDefaultsArguments, which finds the command line without /proc, and CDefaultsTerminal, which tells a terminal's
// width. CDefaultsEngineMark, which nothing imports, belongs to DefaultsDomains and stops a process that has two
// engines. COpenStepDefaults is the header whose functions DefaultsC has.
//
// What a library needs has “Defaults”, “OpenStep” or “GNUstep” in its name: SwiftPM refuses a client that has a target
// of the same name.

/// Whether Tests/Fuzz/run is building: then every module is compiled with libFuzzer's instrumentation, so
/// that the fuzzer sees which code an input reaches.
let isFuzzing = Context.environment["OPENSTEPDEFAULTS_FUZZING"] != nil

let settings: [SwiftSetting] =
  [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ]
  // For work on this package only: new warnings of another compiler must not break a client's build.
  + (Context.environment["OPENSTEPDEFAULTS_WARNINGS_ARE_ERRORS"] == nil
    ? [] : [.treatAllWarnings(as: .error)])
  // Continuous integration compiles the optimized modules once, for what is installed and for the tests, which import them
  // with “@testable”.
  + (Context.environment["OPENSTEPDEFAULTS_TESTABLE"] == nil
    ? [] : [.unsafeFlags(["-enable-testing"], .when(configuration: .release))])
  + (isFuzzing ? [.unsafeFlags(["-sanitize=fuzzer,address", "-parse-as-library"])] : [])

/// The compiler proves that no non-escapable value outlives the memory to which it refers; annotations name
/// the owner of that memory.
let lifetimes: [SwiftSetting] = [.enableExperimentalFeature("Lifetimes")]

let fuzzers: [Target] = [
  .executableTarget(
    name: "fuzz", dependencies: ["FuzzChecks"], path: "Tests/Fuzz/fuzz", swiftSettings: settings,
    linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])]),
  .executableTarget(name: "corpus", path: "Tests/Fuzz/corpus"),
]

let package = Package(
  name: "OpenStepDefaults",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "OpenStepPropertyList", targets: ["OpenStepPropertyList"]),
    .library(name: "OpenStepDefaults", targets: ["OpenStepDefaults"]),
    .library(name: "UserDefaultsCompat", targets: ["UserDefaultsCompat"]),
    .library(name: "TypedDefaults", targets: ["TypedDefaults"]),
    .library(name: "GNUstepCompat", targets: ["GNUstepCompat"]),
    .library(name: "COpenStepDefaults", targets: ["COpenStepDefaults", "DefaultsC"]),
    // All of these in one dynamic library, libopenstepdefaults, for programs whose other parts load it too.
    .library(
      name: "openstepdefaults", type: .dynamic,
      targets: [
        "COpenStepDefaults", "DefaultsC", "GNUstepCompat", "TypedDefaults", "UserDefaultsCompat",
        "OpenStepDefaults", "OpenStepPropertyList",
      ]),
    .executable(name: "defaults", targets: ["defaults"]),
    .executable(name: "conformance", targets: ["conformance"]),
  ],
  targets: [
    // Without Foundation: property lists, the disk, the engine, the tool's own modules, and the tool.
    .target(name: "OpenStepPropertyList", swiftSettings: settings + lifetimes),
    .target(name: "CDefaultsFileRights"),
    .target(
      name: "DefaultsDatabase", dependencies: ["CDefaultsFileRights", "OpenStepPropertyList"],
      swiftSettings: settings
    ),
    .target(name: "CDefaultsEngineMark"),
    .target(
      name: "DefaultsDomains",
      dependencies: ["CDefaultsEngineMark", "DefaultsDatabase", "OpenStepPropertyList"],
      swiftSettings: settings),
    .target(
      name: "DefaultsImport", dependencies: ["DefaultsDatabase", "OpenStepPropertyList"],
      swiftSettings: settings),
    .target(
      name: "DefaultsHistory", dependencies: ["DefaultsDatabase", "OpenStepPropertyList"],
      swiftSettings: settings),
    .target(
      name: "DefaultsTorture",
      dependencies: ["DefaultsDomains", "DefaultsDatabase", "OpenStepPropertyList"], swiftSettings: settings),
    .target(name: "CDefaultsArguments"),
    .target(name: "CDefaultsTerminal"),
    .target(
      name: "DefaultsTool",
      dependencies: [
        "CDefaultsArguments", "CDefaultsTerminal", "DefaultsTorture", "DefaultsImport", "DefaultsHistory",
        "DefaultsDomains",
        "DefaultsDatabase",
        "OpenStepPropertyList",
      ], swiftSettings: settings),
    .executableTarget(name: "defaults", dependencies: ["DefaultsTool"], swiftSettings: settings),

    // The public classes and typed keys, and the code with Foundation that they share.
    .target(
      name: "DefaultsFoundation",
      dependencies: ["DefaultsDomains", "DefaultsDatabase", "OpenStepPropertyList"],
      path: "Compat/DefaultsFoundation", swiftSettings: settings),
    .target(
      name: "OpenStepDefaults",
      dependencies: ["DefaultsFoundation", "DefaultsDomains", "DefaultsDatabase", "OpenStepPropertyList"],
      swiftSettings: settings),
    .target(
      name: "UserDefaultsCompat",
      dependencies: ["DefaultsFoundation", "DefaultsDomains", "DefaultsDatabase", "OpenStepPropertyList"],
      path: "Compat/UserDefaultsCompat", swiftSettings: settings),
    .target(
      name: "TypedDefaults",
      dependencies: [
        "UserDefaultsCompat", "DefaultsFoundation", "DefaultsDomains", "DefaultsDatabase",
        "OpenStepPropertyList",
      ], path: "Compat/TypedDefaults", swiftSettings: settings),
    .target(
      name: "GNUstepCompat",
      dependencies: [
        "OpenStepDefaults", "DefaultsFoundation", "DefaultsDomains", "DefaultsDatabase",
        "OpenStepPropertyList",
      ], path: "Compat/GNUstepCompat", swiftSettings: settings),

    // For C: the headers, and the functions that they declare.
    .target(name: "COpenStepDefaults", path: "Compat/C/COpenStepDefaults"),
    .target(
      name: "DefaultsC",
      dependencies: [
        "COpenStepDefaults", "GNUstepCompat", "OpenStepDefaults", "DefaultsFoundation", "DefaultsDomains",
        "DefaultsDatabase", "OpenStepPropertyList",
      ], path: "Compat/C/Functions", swiftSettings: settings),

    // Programs that demonstrate or compare these.
    .target(
      name: "DefaultsAtlas",
      dependencies: [
        "TypedDefaults", "GNUstepCompat", "UserDefaultsCompat", "OpenStepDefaults", "DefaultsDatabase",
        "OpenStepPropertyList",
      ], path: "Compat/Conformance/Atlas", swiftSettings: settings),
    .executableTarget(
      name: "conformance", dependencies: ["DefaultsAtlas"], path: "Compat/Conformance/Program",
      swiftSettings: settings),
    .executableTarget(
      name: "demonstration", dependencies: ["UserDefaultsCompat", "OpenStepDefaults"],
      path: "Compat/Demonstration", swiftSettings: settings),
    .executableTarget(
      name: "typed-demonstration", dependencies: ["TypedDefaults"], path: "Compat/TypedDemonstration",
      swiftSettings: settings),
    .executableTarget(
      name: "notes", dependencies: ["GNUstepCompat", "OpenStepDefaults"], path: "Compat/Porting/notes",
      swiftSettings: settings),
    .executableTarget(
      name: "ports", dependencies: ["GNUstepCompat"], path: "Compat/Porting/Ports", swiftSettings: settings),

    // Benchmarks, fuzzing, and the modules and programs that tests need.
    .target(
      name: "TestSupport", dependencies: ["DefaultsDatabase", "OpenStepPropertyList"],
      path: "Tests/TestSupport", swiftSettings: settings),
    .target(
      name: "BenchmarkKit", dependencies: ["OpenStepPropertyList"], path: "Tests/BenchmarkKit",
      swiftSettings: settings),
    .executableTarget(
      name: "benchmarks",
      dependencies: [
        "BenchmarkKit", "TestSupport", "DefaultsC", "COpenStepDefaults", "TypedDefaults",
        "UserDefaultsCompat", "OpenStepDefaults", "DefaultsFoundation", "DefaultsDomains", "DefaultsDatabase",
        "OpenStepPropertyList",
      ], path: "Tests/Benchmarks", exclude: ["Results.md", "Targets.plist", "Peers/python_benchmark.py"],
      swiftSettings: settings),
    .target(
      name: "FuzzChecks",
      dependencies: [
        "DefaultsTool", "UserDefaultsCompat", "OpenStepDefaults", "DefaultsFoundation", "DefaultsDomains",
        "DefaultsDatabase", "OpenStepPropertyList",
      ], path: "Tests/Fuzz/Checks", swiftSettings: settings),
    .executableTarget(
      name: "torture-faces",
      dependencies: [
        "DefaultsTool", "DefaultsTorture", "UserDefaultsCompat", "OpenStepDefaults", "DefaultsFoundation",
        "DefaultsDatabase",
      ], path: "Tests/TortureFaces", swiftSettings: settings),
    .target(
      name: "ScheduleKit", dependencies: ["TypedDefaults", "UserDefaultsCompat", "DefaultsDatabase"],
      path: "Tests/Schedules/Kit", swiftSettings: settings),
    .executableTarget(
      name: "schedule-process", dependencies: ["ScheduleKit"], path: "Tests/Schedules/Program",
      swiftSettings: settings),
    .target(
      name: "ClassicClient", dependencies: ["OpenStepDefaults"], path: "Tests/Clients/Classic",
      swiftSettings: settings),
    .target(
      name: "ModernClient", dependencies: ["UserDefaultsCompat"], path: "Tests/Clients/Modern",
      swiftSettings: settings),
    .target(
      name: "TypedClient", dependencies: ["TypedDefaults"], path: "Tests/Clients/Typed",
      swiftSettings: settings),
    // A library of somebody else with types of the same names, and a program that uses it beside several products.
    .target(name: "RivalDatabase", path: "Tests/Clients/Rival", swiftSettings: settings),
    .target(
      name: "MixedClient",
      dependencies: [
        "RivalDatabase", "TypedDefaults", "GNUstepCompat", "UserDefaultsCompat", "OpenStepDefaults",
      ], path: "Tests/Clients/Mixed", swiftSettings: settings),
    // The C part of a program whose other part is Swift.
    .target(name: "CThreads", dependencies: ["COpenStepDefaults", "DefaultsC"], path: "Tests/CThreads"),
    // Without this package's settings, as a program that moves over has none.
    .target(name: "GNUstepClient", dependencies: ["GNUstepCompat"], path: "Tests/Clients/GNUstep"),

    // Tests, layer by layer.
    .testTarget(
      name: "OpenStepPropertyListTests", dependencies: ["TestSupport", "OpenStepPropertyList"],
      resources: [.copy("Fixtures")], swiftSettings: settings),
    .testTarget(
      name: "DefaultsDatabaseTests",
      dependencies: ["TestSupport", "DefaultsDatabase", "OpenStepPropertyList"], swiftSettings: settings),
    .testTarget(
      name: "DefaultsDomainsTests",
      dependencies: ["TestSupport", "DefaultsDomains", "DefaultsDatabase", "OpenStepPropertyList"],
      swiftSettings: settings),
    .testTarget(
      name: "DefaultsTortureTests",
      dependencies: [
        "TestSupport", "defaults", "torture-faces", "DefaultsTorture", "DefaultsDatabase",
        "OpenStepPropertyList",
      ], swiftSettings: settings),
    .testTarget(
      name: "DefaultsImportTests",
      dependencies: ["TestSupport", "DefaultsImport", "DefaultsDatabase", "OpenStepPropertyList"],
      swiftSettings: settings),
    .testTarget(
      name: "DefaultsFoundationTests",
      dependencies: [
        "TestSupport", "DefaultsFoundation", "DefaultsDomains", "DefaultsDatabase", "OpenStepPropertyList",
      ], swiftSettings: settings),
    .testTarget(
      name: "OpenStepDefaultsTests",
      dependencies: [
        "TestSupport", "OpenStepDefaults", "DefaultsFoundation", "DefaultsDomains", "DefaultsDatabase",
        "OpenStepPropertyList",
      ], swiftSettings: settings),
    .testTarget(
      name: "UserDefaultsCompatTests",
      dependencies: [
        "TestSupport", "UserDefaultsCompat", "OpenStepDefaults", "DefaultsFoundation", "DefaultsDomains",
        "DefaultsDatabase", "OpenStepPropertyList",
      ], swiftSettings: settings),
    .testTarget(
      name: "TypedDefaultsTests",
      dependencies: [
        "TestSupport", "ScheduleKit", "schedule-process", "TypedDefaults", "GNUstepCompat",
        "UserDefaultsCompat", "OpenStepDefaults", "DefaultsFoundation", "DefaultsDomains", "DefaultsDatabase",
        "OpenStepPropertyList",
      ], swiftSettings: settings),
    .testTarget(
      name: "GNUstepCompatTests",
      dependencies: [
        "TestSupport", "defaults", "notes", "ports", "GNUstepClient", "GNUstepCompat", "UserDefaultsCompat",
        "OpenStepDefaults", "DefaultsFoundation", "DefaultsDomains", "DefaultsDatabase",
        "OpenStepPropertyList",
      ], swiftSettings: settings),
    .testTarget(
      name: "DefaultsCTests",
      dependencies: [
        "TestSupport", "demonstration", "CThreads", "DefaultsC", "COpenStepDefaults", "GNUstepCompat",
        "OpenStepDefaults", "DefaultsDatabase",
      ], swiftSettings: settings),
    .testTarget(
      name: "ClientsTests",
      dependencies: [
        "TestSupport", "ClassicClient", "ModernClient", "TypedClient", "GNUstepClient", "MixedClient",
        "RivalDatabase", "TypedDefaults", "UserDefaultsCompat", "OpenStepDefaults",
      ], swiftSettings: settings),
    .testTarget(
      name: "DefaultsToolTests",
      dependencies: [
        "TestSupport", "DefaultsTool", "DefaultsHistory", "DefaultsDatabase", "OpenStepPropertyList",
        "defaults",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "AtlasTests",
      dependencies: ["TestSupport", "conformance", "DefaultsAtlas", "OpenStepPropertyList"],
      swiftSettings: settings),
    .testTarget(name: "FuzzChecksTests", dependencies: ["FuzzChecks"], swiftSettings: settings),
    .testTarget(name: "BenchmarkKitTests", dependencies: ["BenchmarkKit"], swiftSettings: settings),
  ] + (isFuzzing ? fuzzers : [])
)

// Set by .ci/run for runs of some tests, since all together would compile for ten minutes: the names of test targets, with
// commas between them. A name may have the names of the only files behind it that are compiled, with colons before them.
if let names = Context.environment["OPENSTEPDEFAULTS_TESTS"]?.split(separator: ",") {
  let files = Dictionary(
    uniqueKeysWithValues: names.map { name in
      let parts = name.split(separator: ":").map(String.init)
      return (parts[0], Array(parts[1...]))
    })
  package.targets.removeAll { $0.type == .test && files[$0.name] == nil }
  for target in package.targets where target.type == .test {
    if let sources = files[target.name], !sources.isEmpty { target.sources = sources }
    // The library is what has to be optimized; to optimize the tests takes longer than everything else.
    target.swiftSettings =
      (target.swiftSettings ?? []) + [.unsafeFlags(["-Onone"], .when(configuration: .release))]
  }
}
