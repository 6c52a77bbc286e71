import TestSupport
import Testing

/// What the compiler says of observers that touch the state of the main actor.
@Suite(.enabled(if: TypeCheck.modules != nil))
struct LanguageModeTests {
  /// A program with an observer in a class of the main actor; `BODY` is what the observer does with a change.
  private func program(_ body: String) -> String {
    """
    import UserDefaultsCompat

    @MainActor
    final class Player {
      var volume = 0
      private var observation: UserDefaultsObservation?

      func follow(_ defaults: UserDefaultsCompat.UserDefaults) {
        observation = defaults.observe("volume", options: [.initial, .new]) { [weak self] _, change in
          \(body)
        }
      }
    }
    """
  }

  @Test("Swift 5 warns of an observer that touches the main actor's state, and compiles it")
  func swift5() throws {
    let said = try TypeCheck.diagnostics(
      of: program("self?.volume = change.newValue as? Int ?? 0"),
      options: ["-swift-version", "5"])
    #expect(said.contains("warning:") && !said.contains("error:"), "\(said)")
  }

  @Test("Swift 6 accepts an observer that says that it runs on the main thread")
  func swift6() throws {
    let body = """
      let volume = change.newValue as? Int ?? 0
      MainActor.assumeIsolated { self?.volume = volume }
      """
    #expect(try TypeCheck.diagnostics(of: program(body)) == "")
  }
}
