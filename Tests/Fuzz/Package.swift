// swift-tools-version: 6.3
import PackageDescription

// A package of its own, since the flags below are for no user: every module is compiled with
// libFuzzer's instrumentation, so that the fuzzer sees which way an input took.

let fuzzing: [SwiftSetting] = [.unsafeFlags(["-sanitize=fuzzer,address", "-parse-as-library"])]

let settings: [SwiftSetting] =
  fuzzing + [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ]

let package = Package(
  name: "Fuzz",
  platforms: [.macOS(.v15)],
  targets: [
    .target(name: "OpenStepPropertyList", path: "Modules/OpenStepPropertyList", swiftSettings: settings),
    .target(name: "CFileRights", path: "Modules/CFileRights"),
    .target(
      name: "DefaultsDatabase", dependencies: ["CFileRights", "OpenStepPropertyList"],
      path: "Modules/DefaultsDatabase",
      swiftSettings: settings),
    .target(
      name: "OpenStepDefaults", dependencies: ["DefaultsDatabase", "OpenStepPropertyList"],
      path: "Modules/OpenStepDefaults", swiftSettings: settings),
    .target(
      name: "GNUstepCompat",
      dependencies: ["UserDefaultsCompat", "OpenStepDefaults", "DefaultsDatabase", "OpenStepPropertyList"],
      path: "Compat/GNUstepCompat", swiftSettings: settings),
    .target(
      name: "DefaultsTool",
      dependencies: ["GNUstepCompat", "OpenStepDefaults", "DefaultsDatabase", "OpenStepPropertyList"],
      path: "Modules/DefaultsTool", swiftSettings: settings),
    .target(
      name: "UserDefaultsCompat",
      dependencies: ["OpenStepDefaults", "DefaultsDatabase", "OpenStepPropertyList"],
      path: "Compat/UserDefaultsCompat", swiftSettings: settings),
    .target(
      name: "FuzzChecks",
      dependencies: [
        "DefaultsTool", "UserDefaultsCompat", "OpenStepDefaults", "DefaultsDatabase", "OpenStepPropertyList",
      ],
      path: "Checks", swiftSettings: settings),
    .executableTarget(
      name: "fuzz", dependencies: ["FuzzChecks"], path: "fuzz", swiftSettings: settings,
      linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])]),
    .executableTarget(name: "corpus", path: "corpus"),
  ]
)
