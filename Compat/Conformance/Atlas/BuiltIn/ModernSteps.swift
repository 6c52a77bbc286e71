import Foundation
import OpenStepPropertyList
import UserDefaultsCompat

/// The calls of the modern class that this package and Foundation have in common.
protocol ModernCalls: AnyObject {
  func object(forKey defaultName: String) -> Any?
  func string(forKey defaultName: String) -> String?
  func array(forKey defaultName: String) -> [Any]?
  func stringArray(forKey defaultName: String) -> [String]?
  func dictionary(forKey defaultName: String) -> [String: Any]?
  func data(forKey defaultName: String) -> Data?
  func url(forKey defaultName: String) -> URL?
  func bool(forKey defaultName: String) -> Bool
  func integer(forKey defaultName: String) -> Int
  func float(forKey defaultName: String) -> Float
  func double(forKey defaultName: String) -> Double
  func objectIsForced(forKey key: String) -> Bool

  func set(_ value: Any?, forKey defaultName: String)
  func set(_ value: Int, forKey defaultName: String)
  func set(_ value: Float, forKey defaultName: String)
  func set(_ value: Double, forKey defaultName: String)
  func set(_ value: Bool, forKey defaultName: String)
  func set(_ url: URL?, forKey defaultName: String)
  func removeObject(forKey defaultName: String)

  func register(defaults registrationDictionary: [String: Any])
  func addSuite(named suiteName: String)
  func removeSuite(named suiteName: String)
  func dictionaryRepresentation() -> [String: Any]
  var volatileDomainNames: [String] { get }
  func volatileDomain(forName domainName: String) -> [String: Any]
  func setVolatileDomain(_ domain: [String: Any], forName domainName: String)
  func removeVolatileDomain(forName domainName: String)
  func persistentDomain(forName domainName: String) -> [String: Any]?
  func setPersistentDomain(_ domain: [String: Any], forName domainName: String)
  func removePersistentDomain(forName domainName: String)
  func synchronize() -> Bool
}

extension UserDefaultsCompat.UserDefaults: ModernCalls {}
extension Foundation.UserDefaults: ModernCalls {}

/// The steps that need no more than these calls.
extension ModernCalls {
  /// Performs a step that changes something; false for any other step.
  func change(_ step: Step) throws -> Bool {
    switch step.name {
    case "set": set(try step.value(1), forKey: try step.text(0))
    case "setBool": set(try step.boolean(1), forKey: try step.text(0))
    case "setInteger": set(try step.number(1) as Int, forKey: try step.text(0))
    case "setFloat": set(try step.number(1) as Float, forKey: try step.text(0))
    case "setDouble": set(try step.number(1) as Double, forKey: try step.text(0))
    case "setURL": set(try step.url(1), forKey: try step.text(0))
    case "setFileURL": set(try step.fileURL(1), forKey: try step.text(0))
    case "remove": removeObject(forKey: try step.text(0))
    case "register": register(defaults: try step.dictionary(0))
    case "setVolatile": setVolatileDomain(try step.dictionary(1), forName: try step.text(0))
    case "removeVolatile": removeVolatileDomain(forName: try step.text(0))
    case "setPersistent": setPersistentDomain(try step.dictionary(1), forName: try step.text(0))
    case "removePersistent": removePersistentDomain(forName: try step.text(0))
    case "addSuite": addSuite(named: try step.text(0))
    case "removeSuite": removeSuite(named: try step.text(0))
    default: return false
    }
    return true
  }

  /// Performs a step that reads something or reports an outcome; nil for any other step.
  func answer(_ step: Step) throws -> JSON? {
    switch step.name {
    case "object": .value(object(forKey: try step.text(0)))
    case "string": .value(string(forKey: try step.text(0)))
    case "array": .value(array(forKey: try step.text(0)))
    case "stringArray": .value(stringArray(forKey: try step.text(0)))
    case "dictionary": .value(dictionary(forKey: try step.text(0)))
    case "data": .value(data(forKey: try step.text(0)))
    case "url": .value(url(forKey: try step.text(0)))
    case "bool": .truth(bool(forKey: try step.text(0)))
    case "integer": .value(integer(forKey: try step.text(0)))
    case "float": .value(float(forKey: try step.text(0)))
    case "double": .value(double(forKey: try step.text(0)))
    case "cast": try Casts.outcome(of: object(forKey: try step.text(1)), to: try step.text(0))
    case "isForced": .truth(objectIsForced(forKey: try step.text(0)))
    default: try answerAboutDomains(step)
    }
  }

  private func answerAboutDomains(_ step: Step) throws -> JSON? {
    switch step.name {
    case "sync": .truth(synchronize())
    case "representation": .value(dictionaryRepresentation().entry(exactly: try step.text(0)))
    case "representationKeys": .names(Array(dictionaryRepresentation().keys))
    case "persistentDomain": .value(persistentDomain(forName: try step.text(0)))
    case "volatileDomain": .value(volatileDomain(forName: try step.text(0)))
    case "volatileKey":
      .value(volatileDomain(forName: try step.text(0)).entry(exactly: try step.text(1)))
    case "volatileDomainNames": .names(volatileDomainNames)
    default: nil
    }
  }
}

extension Step {
  /// A URL written as text, or nil for “no object” and for a text that is no URL.
  func url(_ index: Int) throws(NotSupported) -> URL? {
    (try value(index) as? String).flatMap { URL(string: $0) }
  }

  /// The URL of a file, whose path may begin with `~`.
  func fileURL(_ index: Int) throws(NotSupported) -> URL {
    URL(fileURLWithPath: (try text(index) as NSString).expandingTildeInPath)
  }
}
