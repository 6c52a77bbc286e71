import Foundation
import MixedClient
import RivalDatabase
import TestSupport
import Testing
import UserDefaultsCompat

/// Names that this package shares with a library of somebody else.
@Suite
struct SharedNamesTests {
  private let products = ["OpenStepDefaults", "UserDefaultsCompat", "TypedDefaults", "GNUstepCompat"]

  @Test(
    "where another library has a type of the same name, the compiler asks which is meant",
    .enabled(if: TypeCheck.modules != nil),
    arguments: ["DatabaseError", "InvalidArgumentError", "PropertyListError"])
  func ambiguity(name: String) throws {
    for product in products {
      let program = """
        import \(product)
        import RivalDatabase
        func isKnown(_ error: any Error) -> Bool { error is \(name) }
        """
      let said = try TypeCheck.diagnostics(of: program)
      #expect(said.contains("'\(name)' is ambiguous for type lookup in this context"), "\(product): \(said)")
    }
  }

  @Test(
    "a program that imports some of the products names their errors",
    .enabled(if: TypeCheck.modules != nil),
    arguments: [[], ["-enable-upcoming-feature", "MemberImportVisibility"]])
  func severalProducts(options: [String]) throws {
    let program = """
      func describe(_ error: any Error) -> String {
        switch error {
        case let error as DatabaseError: "\\(error.kind) \\(error.propertyListError?.line ?? 0) \\(error.localizedDescription)"
        case let error as InvalidArgumentError: error.reason
        default: ""
        }
      }
      """
    for imported in products.map({ [$0] }) + [products] {
      let imports = imported.map { "import \($0)\n" }.joined() + "import Foundation\n"
      #expect(
        try TypeCheck.diagnostics(of: imports + program, options: ["-swift-version", "6"] + options) == "")
    }
  }

  @Test("an alias in a program's own module says which is meant")
  func alias() throws {
    #expect(describeMixed(RivalDatabase.DatabaseError(sql: "SELECT")) == "the other library's: SELECT")
    let defaults = UserDefaultsCompat.UserDefaults.inMemory(applicationName: "App")
    defaults.set(1, forKey: "k")
    #expect(place(of: "k", in: defaults) == "App")
    let error = #expect(throws: UserDefaultsCompat.InvalidArgumentError.self) {
      try UserDefaultsCompat.UserDefaults.validate(NSNull())
    }
    #expect(try describeMixed(#require(error)) == "an invalid argument")
    #expect(try describeSeveral(#require(error)).contains("NSNull"))
  }
}
