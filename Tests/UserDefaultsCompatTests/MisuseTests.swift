import Foundation
import OpenStepDefaults
import Testing
import UserDefaultsCompat

/// What a person sees when a program sets what is no property list.
@Suite
struct MisuseTests {
  /// The value is no property list three steps inside.
  private static var bad: [String: Any] { ["list": [1, ["deep": Object()]]] }
  private static let place = #"["list"][1]["deep"] is of type Object, which is no property list"#

  private final class Object {}

  /// Checks that the last line of standard error is the message, and that what was printed before came out.
  private func check(_ result: ExitTest.Result?, _ method: String, _ path: String) {
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    let last = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().last ?? ""
    #expect(text.hasSuffix("\n"))
    #expect(last.hasPrefix("Fatal error: \(method): \(path)"), "\(last)")
    #expect(last.contains("which is no property list"))
    let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
    #expect(output.contains("printed before"))
  }

  @Test("setting ends with the method, key, path and type as the last line of standard error")
  func set() async {
    let result = await #expect(
      processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent, \.standardOutputContent]
    ) {
      print("printed before")
      UserDefaultsCompat.UserDefaults.inMemory().set(MisuseTests.bad, forKey: "k")
    }
    check(result, "UserDefaults.set(_:forKey:)", #"the value for the key "k"\#(MisuseTests.place)"#)
  }

  @Test("registering does")
  func register() async {
    let result = await #expect(
      processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent, \.standardOutputContent]
    ) {
      print("printed before")
      UserDefaultsCompat.UserDefaults.inMemory().register(defaults: ["k": MisuseTests.bad])
    }
    check(result, "UserDefaults.register(defaults:)", #"the value for the key "k"\#(MisuseTests.place)"#)
  }

  @Test("replacing a persistent or a volatile domain does")
  func domains() async {
    let persistent = await #expect(
      processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent, \.standardOutputContent]
    ) {
      print("printed before")
      UserDefaultsCompat.UserDefaults.inMemory().setPersistentDomain(["k": MisuseTests.bad], forName: "App")
    }
    check(
      persistent, "UserDefaults.setPersistentDomain(_:forName:)",
      #"the value for the key "k"\#(MisuseTests.place)"#)
    let volatile = await #expect(
      processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent, \.standardOutputContent]
    ) {
      print("printed before")
      UserDefaultsCompat.UserDefaults.inMemory().setVolatileDomain(["k": MisuseTests.bad], forName: "V")
    }
    check(
      volatile, "UserDefaults.setVolatileDomain(_:forName:)",
      #"the value for the key "k"\#(MisuseTests.place)"#)
  }

  @Test("key-value coding's setters do")
  func keyValueCoding() async {
    let result = await #expect(
      processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent, \.standardOutputContent]
    ) {
      print("printed before")
      UserDefaultsCompat.UserDefaults.inMemory().setValuesForKeys(["k": MisuseTests.bad])
    }
    check(result, "UserDefaults.set(_:forKey:)", #"the value for the key "k"\#(MisuseTests.place)"#)
  }

  @Test("the classic class's setter and registration do")
  func classic() async {
    let set = await #expect(
      processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent, \.standardOutputContent]
    ) {
      print("printed before")
      NSUserDefaults(inMemoryWithApplicationName: "App").setObject(MisuseTests.bad, forKey: "k")
    }
    check(set, "NSUserDefaults.setObject(_:forKey:)", #"the value for the key "k"\#(MisuseTests.place)"#)
    let register = await #expect(
      processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent, \.standardOutputContent]
    ) {
      print("printed before")
      NSUserDefaults(inMemoryWithApplicationName: "App").registerDefaults(["k": MisuseTests.bad])
    }
    check(register, "NSUserDefaults.registerDefaults(_:)", #"the dictionary["k"]\#(MisuseTests.place)"#)
  }

  @Test("a handler of the program's own for the signal is called, and has the message before and behind it")
  func handler() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      signal(SIGABRT) { _ in _ = Foundation.write(STDERR_FILENO, "handled\n", 8) }
      UserDefaultsCompat.UserDefaults.inMemory().set(Object(), forKey: "k")
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    let lines = text.split(separator: "\n").map(String.init)
    #expect(lines.count == 3)
    #expect(lines.first?.hasPrefix("Fatal error: UserDefaults.set(_:forKey:)") == true)
    #expect(lines.dropFirst().first == "handled")
    #expect(lines.last == lines.first)
  }
}
