import DefaultsDatabase
import Foundation
import UserDefaultsCompat

/// The modern class `UserDefaults` as the vectors see it.
final class ModernSubject: BehaviourSubject {
  typealias UserDefaults = UserDefaultsCompat.UserDefaults

  private(set) var defaults = UserDefaults.standard
  private var observation: UserDefaultsObservation?
  private let changes = ObservedValues()
  private let old: any DeprecatedCalls.Type = Deprecated.self

  var receiver: AnyObject { defaults }

  func use(_ name: String) throws -> Bool {
    switch name {
    case "standard": defaults = .standard
    case "init": defaults = UserDefaults()
    default:
      let parts = name.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { throw NotSupported(what: "use \(name)") }
      guard let other = try make(String(parts[0]), String(parts[1])) else { return false }
      defaults = other
    }
    return true
  }

  private func make(_ kind: String, _ name: String) throws -> UserDefaults? {
    switch kind {
    case "suite": UserDefaults(suiteName: name)
    case "user": old.make(user: name)
    default: throw NotSupported(what: "use \(kind)")
    }
  }

  func perform(_ step: Step) throws -> JSON {
    switch step.name {
    case "keyChanges": return .array(changes.all)
    case "persistentDomainNames": return .names(old.persistentDomainNames(of: defaults))
    default: break
    }
    if let answer = try defaults.answer(step) { return answer }
    let before = defaults.lastError as? DatabaseError
    guard try change(step) else { return .absent }
    // A refusal that does not throw is reported here.
    guard let error = defaults.lastError as? DatabaseError, error != before else { return .done }
    return [.refused, .refusedName].contains(error.kind) ? .raises : .done
  }

  /// Performs a step that changes something; false if the class has no method for it.
  private func change(_ step: Step) throws -> Bool {
    switch step.name {
    case "reset":
      UserDefaults.resetStandardUserDefaults()
      defaults = .standard
    case "observeKey":
      let changes = changes
      changes.removeAll()
      observation = defaults.observe(try step.text(0), options: .new) { _, change in
        changes.append(Values.json(of: change.newValue))
      }
    default: return try defaults.change(step)
    }
    return true
  }
}

/// Calls that the class marks as deprecated; through a protocol they can be made without a warning.
private protocol DeprecatedCalls {
  static func make(user: String) -> UserDefaultsCompat.UserDefaults?
  static func persistentDomainNames(of defaults: UserDefaultsCompat.UserDefaults) -> [String]
}

private enum Deprecated: DeprecatedCalls {
  @available(*, deprecated)
  static func make(user: String) -> UserDefaultsCompat.UserDefaults? {
    UserDefaultsCompat.UserDefaults(user: user)
  }

  @available(*, deprecated)
  static func persistentDomainNames(of defaults: UserDefaultsCompat.UserDefaults) -> [String] {
    defaults.persistentDomainNames()
  }
}
