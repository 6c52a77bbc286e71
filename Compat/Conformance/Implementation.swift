/// A class that the vectors are run against.
enum Implementation: String, CaseIterable, Sendable {
  /// The classic class of this package, `NSUserDefaults`.
  case classic
  /// The modern class of this package, `UserDefaults`.
  case shim
  /// Foundation's `UserDefaults` of this platform.
  case foundation

  /// The API, as the vectors name it, that the class implements.
  var api: String {
    switch self {
    case .classic: "classic"
    case .shim, .foundation: "modern"
    }
  }

  /// Whether a difference is a failure; for a class outside the package it is only a fact.
  var isOurs: Bool { self != .foundation }

  /// The seconds after which a process counts as hanging.
  var timeLimit: Double { isOurs ? 60 : 15 }

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
