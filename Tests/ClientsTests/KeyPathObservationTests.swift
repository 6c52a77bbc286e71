#if !canImport(Darwin)
  import TestSupport
  import Testing

  /// What the compiler says of a program that observes as on Apple's systems.
  @Suite(.enabled(if: TypeCheck.modules != nil))
  struct KeyPathObservationTests {
    /// A program with one such statement.
    private func program(_ statement: String) -> String {
      """
      import Foundation
      import UserDefaultsCompat

      typealias UserDefaults = UserDefaultsCompat.UserDefaults

      extension UserDefaults {
        var volume: Int { integer(forKey: "volume") }
      }

      final class Player: NSObject {
        var volume = 0
        var observation: Any?

        func follow(_ defaults: UserDefaults) {
          \(statement)
        }
      }
      """
    }

    @Test(
      "one sentence says what to write in place of key-value observing",
      arguments: [
        (
          "observation = defaults.observe(\\.volume, options: [.old, .new]) { self.volume = $1.newValue ?? 0 }",
          "observe the key as a string"
        ),
        (
          "observation = defaults.observe(\\.volume) { defaults, _ in print(defaults.volume) }",
          "observe the key as a string"
        ),
        ("observation = defaults.publisher(for: \\.volume)", "iterate over changes(forKey:"),
        (
          "defaults.addObserver(self, forKeyPath: \"volume\", options: [.initial, .new], context: nil)",
          "write observe(\"key\") with a closure"
        ),
        ("defaults.removeObserver(self, forKeyPath: \"volume\")", "invalidate or release"),
        ("defaults.removeObserver(self, forKeyPath: \"volume\", context: nil)", "invalidate or release"),
      ])
    func sentence(statement: String, advice: String) throws {
      let said = try TypeCheck.diagnostics(of: program(statement), options: ["-swift-version", "5"])
      let errors = said.split(separator: "\n").filter { $0.contains(": error: ") }
      #expect(errors.count == 1, "\(said)")
      let error = errors.first ?? ""
      #expect(
        error.contains("key-value observing exists on Apple's systems only") && error.contains(advice),
        "\(said)")
    }

    @Test("a program's own methods of these names are used")
    func ownMethods() throws {
      let said = try TypeCheck.diagnostics(
        of: program(
          """
          let stream: [Int] = defaults.publisher(for: \\.volume)
              defaults.addObserver(self, forKeyPath: "volume", options: [], context: nil)
              print(stream)
          """) + """

            extension UserDefaults {
              func publisher<Value>(for keyPath: KeyPath<UserDefaults, Value>) -> [Value] { [self[keyPath: keyPath]] }

              func addObserver(_: NSObject, forKeyPath: String, options: [Int], context: Int?) {}
            }
            """)
      #expect(said == "")
    }
  }
#endif
