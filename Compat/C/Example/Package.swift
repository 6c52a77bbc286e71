// swift-tools-version: 6.3
import PackageDescription

// The Swift part of the example: a library for the program's other parts, which links the one dynamic library that
// they link as well.
let package = Package(
  name: "Example",
  products: [.library(name: "recent", type: .dynamic, targets: ["Recent"])],
  dependencies: [.package(name: "OpenStepDefaults", path: "../../..")],
  targets: [
    .target(
      name: "Recent", dependencies: [.product(name: "openstepdefaults", package: "OpenStepDefaults")])
  ]
)
