import DefaultsDatabase
import Foundation
import UserDefaultsCompat

/// The modern class `UserDefaults` as the vectors see it.
final class ModernSubject: BehaviourSubject {
  typealias UserDefaults = UserDefaultsCompat.UserDefaults

  private var defaults = UserDefaults.standard
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
    if let answer = try answer(step) { return answer }
    let before = defaults.lastError as? DatabaseError
    guard try change(step) else { return .absent }
    // A refusal that does not throw is reported here.
    guard let error = defaults.lastError as? DatabaseError, error != before else { return .done }
    return [.refused, .refusedName].contains(error.kind) ? .raises : .done
  }

  /// Performs a step that changes something; false if the class has no method for it.
  private func change(_ step: Step) throws -> Bool {
    switch step.name {
    case "set": defaults.set(try step.value(1), forKey: try step.text(0))
    case "setBool": defaults.set(try step.boolean(1), forKey: try step.text(0))
    case "setInteger": defaults.set(try step.number(1) as Int, forKey: try step.text(0))
    case "setFloat": defaults.set(try step.number(1) as Float, forKey: try step.text(0))
    case "setDouble": defaults.set(try step.number(1) as Double, forKey: try step.text(0))
    case "setURL":
      let text = try step.value(1) as? String
      defaults.set(text.flatMap { URL(string: $0) }, forKey: try step.text(0))
    case "setFileURL":
      let path = (try step.text(1) as NSString).expandingTildeInPath
      defaults.set(URL(fileURLWithPath: path), forKey: try step.text(0))
    case "remove": defaults.removeObject(forKey: try step.text(0))
    case "register": defaults.register(defaults: try step.dictionary(0))
    case "setVolatile": defaults.setVolatileDomain(try step.dictionary(1), forName: try step.text(0))
    case "removeVolatile": defaults.removeVolatileDomain(forName: try step.text(0))
    case "setPersistent": defaults.setPersistentDomain(try step.dictionary(1), forName: try step.text(0))
    case "removePersistent": defaults.removePersistentDomain(forName: try step.text(0))
    case "addSuite": defaults.addSuite(named: try step.text(0))
    case "removeSuite": defaults.removeSuite(named: try step.text(0))
    case "reset":
      UserDefaults.resetStandardUserDefaults()
      defaults = .standard
    case "observeKey":
      let changes = changes
      changes.removeAll()
      observation = defaults.observe(try step.text(0), options: .new) { _, change in
        changes.append(Values.json(of: change.newValue))
      }
    default: return false
    }
    return true
  }

  /// Performs a step that reads something or reports an outcome.
  private func answer(_ step: Step) throws -> JSON? {
    switch step.name {
    case "sync": .truth(defaults.synchronize())
    case "object": .value(defaults.object(forKey: try step.text(0)))
    case "string": .value(defaults.string(forKey: try step.text(0)))
    case "array": .value(defaults.array(forKey: try step.text(0)))
    case "stringArray": .value(defaults.stringArray(forKey: try step.text(0)))
    case "dictionary": .value(defaults.dictionary(forKey: try step.text(0)))
    case "data": .value(defaults.data(forKey: try step.text(0)))
    case "url": .value(defaults.url(forKey: try step.text(0)))
    case "bool": .truth(defaults.bool(forKey: try step.text(0)))
    case "integer": .value(defaults.integer(forKey: try step.text(0)))
    case "float": .value(defaults.float(forKey: try step.text(0)))
    case "double": .value(defaults.double(forKey: try step.text(0)))
    case "cast": try Casts.outcome(of: defaults.object(forKey: try step.text(1)), to: try step.text(0))
    case "isForced": .truth(defaults.objectIsForced(forKey: try step.text(0)))
    case "keyChanges": .array(changes.all)
    default: try answerAboutDomains(step)
    }
  }

  private func answerAboutDomains(_ step: Step) throws -> JSON? {
    switch step.name {
    case "representation": .value(defaults.dictionaryRepresentation().entry(exactly: try step.text(0)))
    case "representationKeys": .names(Array(defaults.dictionaryRepresentation().keys))
    case "persistentDomain": .value(defaults.persistentDomain(forName: try step.text(0)))
    case "persistentDomainNames": .names(old.persistentDomainNames(of: defaults))
    case "volatileDomain": .value(defaults.volatileDomain(forName: try step.text(0)))
    case "volatileKey":
      .value(defaults.volatileDomain(forName: try step.text(0)).entry(exactly: try step.text(1)))
    case "volatileDomainNames": .names(defaults.volatileDomainNames)
    default: nil
    }
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
