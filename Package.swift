// swift-tools-version: 6.3
import PackageDescription

// The graph, floors in order: a target imports only what stands above it.
//
//   OpenStepPropertyList ◄─ DefaultsDatabase ◄─ OpenStepDefaults ◄─ UserDefaultsCompat ◄─ TypedDefaults
//        (the text)            (the disk)        (the classic)        (the modern)        (the typed)
//                                                                          ▲
//                                        defaults ─► DefaultsTool ─► GNUstepCompat
//
// Beneath DefaultsDatabase lies CFileRights: a few system calls that Swift cannot make.

let settings: [SwiftSetting] =
  [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ]
  // For those who work on this package only: another compiler's new warnings stop nobody else.
  + (Context.environment["WARNINGS_ARE_ERRORS"] == nil ? [] : [.treatAllWarnings(as: .error)])

let package = Package(
  name: "OpenStepDefaults",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "OpenStepPropertyList", targets: ["OpenStepPropertyList"]),
    .library(name: "OpenStepDefaults", targets: ["OpenStepDefaults"]),
    .library(name: "UserDefaultsCompat", targets: ["UserDefaultsCompat"]),
    .library(name: "TypedDefaults", targets: ["TypedDefaults"]),
    .library(name: "GNUstepCompat", targets: ["GNUstepCompat"]),
    .executable(name: "defaults", targets: ["defaults"]),
    .executable(name: "conformance", targets: ["conformance"]),
  ],
  targets: [
    .target(name: "OpenStepPropertyList", swiftSettings: settings),
    .target(name: "CFileRights"),
    .target(
      name: "DefaultsDatabase", dependencies: ["CFileRights", "OpenStepPropertyList"], swiftSettings: settings
    ),
    .target(
      name: "OpenStepDefaults",
      dependencies: ["DefaultsDatabase", "OpenStepPropertyList"],
      swiftSettings: settings),
    .target(
      name: "GNUstepCompat",
      dependencies: ["UserDefaultsCompat", "OpenStepDefaults", "DefaultsDatabase", "OpenStepPropertyList"],
      path: "Compat/GNUstepCompat",
      swiftSettings: settings),
    .executableTarget(
      name: "typed-demonstration",
      dependencies: ["TypedDefaults"],
      path: "Compat/TypedDemonstration",
      swiftSettings: settings),
    .executableTarget(
      name: "notes",
      dependencies: ["GNUstepCompat", "OpenStepDefaults"],
      path: "Compat/Porting/notes",
      swiftSettings: settings),
    .target(
      name: "DefaultsTool",
      dependencies: ["GNUstepCompat", "OpenStepDefaults", "DefaultsDatabase", "OpenStepPropertyList"],
      swiftSettings: settings),
    .executableTarget(name: "defaults", dependencies: ["DefaultsTool"], swiftSettings: settings),
    .target(
      name: "UserDefaultsCompat",
      dependencies: ["OpenStepDefaults", "DefaultsDatabase", "OpenStepPropertyList"],
      path: "Compat/UserDefaultsCompat",
      swiftSettings: settings),
    .target(
      name: "TypedDefaults",
      dependencies: ["UserDefaultsCompat", "OpenStepDefaults", "DefaultsDatabase", "OpenStepPropertyList"],
      path: "Compat/TypedDefaults",
      swiftSettings: settings),
    .executableTarget(
      name: "conformance",
      dependencies: ["UserDefaultsCompat", "OpenStepDefaults", "DefaultsDatabase", "OpenStepPropertyList"],
      path: "Compat/Conformance",
      swiftSettings: settings),
    .executableTarget(
      name: "demonstration",
      dependencies: ["UserDefaultsCompat", "OpenStepDefaults"],
      path: "Compat/Demonstration",
      swiftSettings: settings),

    .target(
      name: "TestSupport",
      dependencies: ["DefaultsDatabase", "OpenStepPropertyList"],
      path: "Tests/TestSupport",
      swiftSettings: settings),
    .target(
      name: "BenchmarkKit",
      dependencies: ["OpenStepPropertyList"],
      path: "Tests/BenchmarkKit",
      swiftSettings: settings),
    .testTarget(
      name: "BenchmarkKitTests",
      dependencies: ["BenchmarkKit"],
      swiftSettings: settings),
    .executableTarget(
      name: "benchmarks",
      dependencies: [
        "BenchmarkKit", "TypedDefaults", "UserDefaultsCompat", "OpenStepDefaults", "OpenStepPropertyList",
        "DefaultsDatabase", "TestSupport",
      ],
      path: "Tests/Benchmarks",
      exclude: ["Targets.plist", "Peers/python_benchmark.py"],
      swiftSettings: settings),
    .target(
      name: "FuzzChecks",
      dependencies: [
        "DefaultsTool", "UserDefaultsCompat", "OpenStepDefaults", "DefaultsDatabase", "OpenStepPropertyList",
      ],
      path: "Tests/Fuzz/Checks",
      swiftSettings: settings),
    .testTarget(name: "FuzzChecksTests", dependencies: ["FuzzChecks"], swiftSettings: settings),
    .testTarget(
      name: "OpenStepPropertyListTests",
      dependencies: ["OpenStepPropertyList", "TestSupport"],
      resources: [.copy("Fixtures")],
      swiftSettings: settings),
    .testTarget(
      name: "DefaultsDatabaseTests",
      dependencies: ["DefaultsDatabase", "OpenStepPropertyList", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "OpenStepDefaultsTests",
      dependencies: [
        "OpenStepDefaults", "DefaultsDatabase", "OpenStepPropertyList", "TestSupport", "conformance",
      ],
      resources: [.copy("Fixtures")],
      swiftSettings: settings),
    .testTarget(
      name: "UserDefaultsCompatTests",
      dependencies: [
        "UserDefaultsCompat", "OpenStepDefaults", "DefaultsDatabase", "OpenStepPropertyList", "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "GNUstepCompatTests",
      dependencies: [
        "GNUstepCompat", "OpenStepDefaults", "DefaultsDatabase", "OpenStepPropertyList", "TestSupport",
        "defaults", "notes",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "TypedDefaultsTests",
      dependencies: [
        "TypedDefaults", "UserDefaultsCompat", "OpenStepDefaults", "DefaultsDatabase", "OpenStepPropertyList",
        "TestSupport",
      ],
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
    .target(
      name: "GNUstepClient", dependencies: ["GNUstepCompat"], path: "Tests/Clients/GNUstep",
      swiftSettings: settings),
    .testTarget(
      name: "ClientsTests",
      dependencies: [
        "ClassicClient", "ModernClient", "TypedClient", "GNUstepClient", "UserDefaultsCompat",
        "OpenStepDefaults",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "DefaultsToolTests",
      dependencies: ["DefaultsTool", "DefaultsDatabase", "OpenStepPropertyList", "TestSupport"],
      swiftSettings: settings),
  ]
)
