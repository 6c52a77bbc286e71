/// A class that the vectors are played against.
enum Implementation: String, CaseIterable, Sendable {
  /// The classic class of this package, `NSUserDefaults`.
  case classic
  /// The modern class of this package, `UserDefaults`.
  case shim
  /// Foundation's `UserDefaults` of this platform.
  case foundation

  /// The API, as the vectors name it, that the class has.
  var api: String {
    switch self {
    case .classic: "classic"
    case .shim, .foundation: "modern"
    }
  }

  /// Whether a difference is a failure, and not a fact about somebody else's class.
  var isOurs: Bool { self != .foundation }

  /// After so many seconds a process counts as hanging.
  var timeLimit: Double { isOurs ? 60 : 15 }

  /// What carries out the steps for an API, or nil where it has no class of that API.
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
