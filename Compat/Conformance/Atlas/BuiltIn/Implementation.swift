/// A class that this program contains, and for which it is a driver.
enum Implementation: String, CaseIterable, Sendable {
  /// The classic class of this package, `NSUserDefaults`.
  case classic
  /// The modern class of this package, `UserDefaults`.
  case shim
  /// Foundation's `UserDefaults` of this platform.
  case foundation

  /// The environment variable that makes this program a driver, and names the class.
  static let variable = "ATLAS_CLASS"

  /// The name in reports.
  var name: String {
    switch self {
    case .classic: "OpenStepDefaults, NSUserDefaults"
    case .shim: "OpenStepDefaults, UserDefaults"
    case .foundation: "Foundation, UserDefaults"
    }
  }

  var homepage: String { isOurs ? "" : "https://github.com/swiftlang/swift-corelibs-foundation" }

  /// The API, as the questions name it, that the class implements.
  var api: String {
    switch self {
    case .classic: "classic"
    case .shim, .foundation: "modern"
    }
  }

  /// All APIs whose objects can take part in a question.
  var apis: Set<String> { isOurs ? ["classic", "modern"] : ["modern"] }

  /// Whether a difference is a failure; for a class outside the package it is only a fact.
  var isOurs: Bool { self != .foundation }

  /// The seconds after which a process counts as hanging.
  var timeLimit: Double { isOurs ? 60 : 15 }

  /// Whether the class is asked the question: each class answers for its own API, and the classic one,
  /// whose library reads the texts, and Foundation for texts.
  func answers(_ question: Question) -> Bool {
    switch question.experiment {
    case .behaviour(let api, _, _): api == self.api
    case .text: self != .shim
    }
  }

  /// The type that performs the steps of an API; nil if the implementation has no class of that API.
  func subject(for api: String) -> (any BehaviourSubject.Type)? {
    switch (self, api) {
    case (.foundation, "modern"): FoundationSubject.self
    case (.foundation, _): nil
    case (_, "classic"): ClassicSubject.self
    case (_, "modern"): ModernSubject.self
    default: nil
    }
  }
}
