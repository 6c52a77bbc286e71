/// A class that this program contains, and for which it is a driver.
enum Implementation: String, CaseIterable, Sendable {
  /// The classic class of this package, `NSUserDefaults`.
  case classic
  /// The modern class of this package, `UserDefaults`.
  case modern
  /// This package's class with the behaviour of GNUstep's.
  case gnustepCompat = "gnustep-compat"
  /// This package's typed keys, on its modern class.
  case typed
  /// Foundation's `UserDefaults` of this platform.
  case foundation

  /// The environment variable that makes this program a driver, and names the class.
  static let variable = "ATLAS_CLASS"

  /// The name in reports.
  var name: String {
    switch self {
    case .classic: "OpenStepDefaults, NSUserDefaults"
    case .modern: "OpenStepDefaults, UserDefaults"
    case .gnustepCompat: "OpenStepDefaults, GNUstepUserDefaults"
    case .typed: "OpenStepDefaults, typed keys"
    case .foundation: "Foundation, UserDefaults"
    }
  }

  var homepage: String { self == .foundation ? "https://github.com/swiftlang/swift-corelibs-foundation" : "" }

  /// The API, as the questions name it, that the class implements.
  var api: String {
    switch self {
    case .classic, .gnustepCompat: "classic"
    case .modern, .typed, .foundation: "modern"
    }
  }

  /// All APIs whose objects can take part in a question.
  var apis: Set<String> {
    switch self {
    case .classic, .modern: ["classic", "modern"]
    case .gnustepCompat, .typed, .foundation: [api]
    }
  }

  /// Whether a difference is a failure: the questions say what the classic and the modern class do. The class
  /// for GNUstep's programs follows GNUstep, and typed keys follow their types; there a difference is a fact, as
  /// it is for a class outside the package.
  var definesExpectations: Bool { [.classic, .modern].contains(self) }

  /// The seconds after which a process counts as hanging.
  var timeLimit: Double { self == .foundation ? 15 : 60 }

  /// Whether the class parses the texts: one class of each library does.
  var takesTexts: Bool { [.classic, .foundation].contains(self) }

  /// Whether the class is asked the question: each class answers for its own API.
  func answers(_ question: Question) -> Bool {
    switch question.experiment {
    case .behaviour(let api, _, _): api == self.api
    case .text: takesTexts
    }
  }

  /// The type that performs the steps of an API; nil if the implementation has no class of that API.
  func subject(for api: String) -> (any BehaviourSubject.Type)? {
    switch (self, api) {
    case (.classic, "classic"), (.modern, "classic"): ClassicSubject.self
    case (.classic, "modern"), (.modern, "modern"): ModernSubject.self
    case (.gnustepCompat, "classic"): GNUstepSubject.self
    case (.typed, "modern"): TypedSubject.self
    case (.foundation, "modern"): FoundationSubject.self
    default: nil
    }
  }
}
