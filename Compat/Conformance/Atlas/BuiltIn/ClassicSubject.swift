import Foundation
import OpenStepDefaults
import OpenStepPropertyList

/// The classic class `NSUserDefaults` as the vectors see it.
class ClassicSubject: BehaviourSubject {
  private lazy var defaults = standard

  var receiver: AnyObject { defaults }

  required init() {
    // Made at once: the moment at which a process makes it belongs to the experiments.
    _ = defaults
  }

  /// The shared object of the class under test.
  var standard: NSUserDefaults { .standardUserDefaults() }

  /// A new object of the class under test.
  func make() -> NSUserDefaults { NSUserDefaults() }

  /// An object for another user.
  func make(user: String) -> NSUserDefaults? { NSUserDefaults(user: user) }

  func use(_ name: String) throws -> Bool {
    switch name {
    case "standard": defaults = standard
    case "init": defaults = make()
    default:
      guard name.hasPrefix("user:") else { throw NotSupported(what: "use \(name)") }
      guard let other = make(user: String(name.dropFirst("user:".count))) else { return false }
      defaults = other
    }
    return true
  }

  func perform(_ step: Step) throws -> JSON {
    if let answer = try answer(step) { return answer }
    return try change(step) ? .done : .absent
  }

  /// Performs a step that changes something; false if the class has no method for it.
  private func change(_ step: Step) throws -> Bool {
    switch step.name {
    case "set": defaults.setObject(try step.value(1), forKey: try step.text(0))
    case "setBool": defaults.setBool(try step.boolean(1), forKey: try step.text(0))
    case "setInteger": defaults.setInteger(try step.number(1), forKey: try step.text(0))
    case "setFloat": defaults.setFloat(try step.number(1), forKey: try step.text(0))
    case "setDouble": defaults.setDouble(try step.number(1), forKey: try step.text(0))
    case "remove": defaults.removeObjectForKey(try step.text(0))
    case "register": defaults.registerDefaults(try step.dictionary(0))
    case "setVolatile": try defaults.setVolatileDomain(try step.dictionary(1), forName: try step.text(0))
    case "removeVolatile": defaults.removeVolatileDomainForName(try step.text(0))
    case "setPersistent": try defaults.setPersistentDomain(try step.dictionary(1), forName: try step.text(0))
    case "removePersistent": defaults.removePersistentDomainForName(try step.text(0))
    case "setSearchList": defaults.setSearchList(try step.texts(0))
    default: return false
    }
    return true
  }

  /// Performs a step that reads something or reports an outcome.
  private func answer(_ step: Step) throws -> JSON? {
    switch step.name {
    case "sync": .truth(defaults.synchronize())
    case "object": .value(defaults.objectForKey(try step.text(0)))
    case "string": .value(defaults.stringForKey(try step.text(0)))
    case "array": .value(defaults.arrayForKey(try step.text(0)))
    case "stringArray": .value(defaults.stringArrayForKey(try step.text(0)))
    case "dictionary": .value(defaults.dictionaryForKey(try step.text(0)))
    case "data": .value(defaults.dataForKey(try step.text(0)))
    case "bool": .truth(defaults.boolForKey(try step.text(0)))
    case "integer": .value(defaults.integerForKey(try step.text(0)))
    case "float": .value(defaults.floatForKey(try step.text(0)))
    case "double": .value(defaults.doubleForKey(try step.text(0)))
    default: try answerAboutDomains(step)
    }
  }

  private func answerAboutDomains(_ step: Step) throws -> JSON? {
    switch step.name {
    case "searchList": .texts(defaults.searchList())
    case "representation": .value(defaults.dictionaryRepresentation().entry(exactly: try step.text(0)))
    case "representationKeys": .names(Array(defaults.dictionaryRepresentation().keys))
    case "persistentDomain": .value(defaults.persistentDomainForName(try step.text(0)))
    case "persistentDomainNames": .names(defaults.persistentDomainNames())
    case "volatileDomain": .value(defaults.volatileDomainForName(try step.text(0)))
    case "volatileKey":
      .value(defaults.volatileDomainForName(try step.text(0))?.entry(exactly: try step.text(1)))
    case "volatileDomainNames": .names(defaults.volatileDomainNames())
    default: nil
    }
  }
}
