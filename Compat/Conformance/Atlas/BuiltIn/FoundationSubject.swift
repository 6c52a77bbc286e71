import Foundation

/// Foundation's own class as the vectors see it; methods that it lacks on this platform are absent.
final class FoundationSubject: BehaviourSubject {
  private var defaults = UserDefaults.standard

  var receiver: AnyObject { defaults }

  func use(_ name: String) throws -> Bool {
    switch name {
    case "standard": defaults = .standard
    case "init": defaults = UserDefaults()
    default:
      guard name.hasPrefix("suite:") else { throw NotSupported(what: "use \(name)") }
      guard let other = UserDefaults(suiteName: String(name.dropFirst("suite:".count))) else { return false }
      defaults = other
    }
    return true
  }

  func perform(_ step: Step) throws -> JSON {
    if step.name == "reset" {
      UserDefaults.resetStandardUserDefaults()
      defaults = .standard
      return .done
    }
    if let answer = try defaults.answer(step) { return answer }
    return try defaults.change(step) ? .done : .absent
  }
}
