import DefaultsDatabase
import DefaultsDomains
import Foundation
import OpenStepPropertyList

// The names are GNUstep's.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The name of GNUstep's volatile domain that is searched first.
public let GSPrimaryDomain = "GSPrimaryDomain"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The name of GNUstep's volatile domain with the installation's configuration.
public let GSConfigDomain = "GSConfigDomain"

/// GNUstep's database of a user, as this module opens it, and the configuration that names it.
struct GNUstepDatabase {
  /// The persistent domains; external changes are followed.
  let domains: PersistentDomains
  /// The installation's and the user's configuration; nil for a user without an account.
  let configuration: GNUstepConfiguration?

  private init(_ domains: PersistentDomains, _ configuration: GNUstepConfiguration?) {
    (self.domains, self.configuration) = (domains, configuration)
    domains.followExternalChanges()
  }

  // MARK: - The current user

  /// The name that the program gave to ``GSSetUserName(_:)``; nil if it called it never.
  private static let userName = Lock<String?>(nil)

  /// Makes another user the current one.
  ///
  /// - Returns: Whether the user was not the current one before.
  static func setUserName(_ name: String) -> Bool {
    let isProcessOwner = (try? Account(named: name)?.isSame(as: .current)) ?? false
    return userName.withLock { userName in
      let wasCurrent = userName.map { haveEqualBytes($0, name) } ?? isProcessOwner
      userName = name
      return !wasCurrent
    }
  }

  /// The database of the current user: the process's, or the one that ``GSSetUserName(_:)`` named.
  ///
  /// A name that no account has gives a database that holds nothing and whose saves fail: never another
  /// user's database instead.
  static var current: GNUstepDatabase {
    guard let name = userName.withLock({ $0 }) else {
      return GNUstepDatabase(ofProcess: GNUstepConfiguration())
    }
    do throws(DatabaseError) {
      if let database = try GNUstepDatabase(ofUser: name) { return database }
      throw DatabaseError(
        .refused, path: "“\(name)”", message: "is no user of this system",
        advice: "nothing is read or written; call GSSetUserName with an account's name")
    } catch {
      return GNUstepDatabase(
        PersistentDomains(database: UserDatabase(refusing: error, dialect: .gnustep)), nil)
    }
  }

  private init(ofProcess configuration: GNUstepConfiguration?) {
    let domains: PersistentDomains
    do throws(DatabaseError) {
      // For a user without an account the home is the root directory, as in a shell.
      let directory = try configuration?.userDefaultsDirectory ?? "/GNUstep/Defaults"
      domains = PersistentDomains.inDirectory(named: directory, dialect: .gnustep)
    } catch {
      domains = PersistentDomains(database: UserDatabase(refusing: error, dialect: .gnustep))
    }
    self.init(domains, configuration)
  }

  // MARK: - Others

  /// The database of a user, which the administrator's process uses with that user's rights only; nil if there
  /// is no such user.
  private init?(ofUser name: String) throws(DatabaseError) {
    guard let account = try Account(named: name) else { return nil }
    if try account.isSame(as: .current) {
      self.init(ofProcess: GNUstepConfiguration())
      return
    }
    guard let configuration = GNUstepConfiguration(user: name) else { return nil }
    let directory = try DatabaseLocation.resolve(argument: configuration.userDefaultsDirectory)
    self.init(
      PersistentDomains.at(directory: directory, dialect: .gnustep, account: try Account(actingFor: name)),
      configuration)
  }

  /// The database of a user; nil for an unknown user, and if the database can be neither read nor written.
  static func ofUser(_ name: String) -> GNUstepDatabase? {
    do throws(DatabaseError) {
      guard let database = try GNUstepDatabase(ofUser: name),
        try database.domains.database?.isOutOfReach() == false
      else { return nil }
      return database
    } catch {
      ErrorReports.shared.add(error)
      return nil
    }
  }

  /// The database of any directory of GNUstep's.
  static func inDirectory(_ directory: String) -> GNUstepDatabase {
    GNUstepDatabase(
      PersistentDomains.inDirectory(named: directory, dialect: .gnustep), GNUstepConfiguration())
  }

  /// The database of a file's directory; the current user's for an empty path.
  static func ofFile(_ path: String) -> GNUstepDatabase {
    if path.isEmpty { return current }
    let directory = (path as NSString).deletingLastPathComponent
    return inDirectory(directory.isEmpty ? "." : directory)
  }

  /// The database of a directory, or the current user's for nil.
  static func inDirectory(orCurrent directory: String?) -> GNUstepDatabase {
    directory.map(inDirectory) ?? current
  }
}
