import DefaultsDatabase
import DefaultsDomains
public import Foundation

extension UserDefaults {
  /// Posted by an object each time that it sets or removes a value or replaces a persistent domain.
  ///
  /// Posted by the thread that made the change, also where the value is the one that was there; never for
  /// what another process changes, which ``UserDefaultsAdditions/observe(_:options:changeHandler:)`` tells of. There is no user
  /// info. The name is that of the classic class, which posts it for its own objects by its own rule.
  public static let didChangeNotification = NSNotification.Name("NSUserDefaultsDidChangeNotification")

  /// Posted by every object whose application domain's file has grown beyond ``UserDefaultsAdditions/sizeLimit``; nothing is dropped.
  ///
  /// Posted once when a save by this process leaves a file above the limit, and again only after one was
  /// below it in between; by the thread that saved, which is one of the package's own unless the program
  /// synchronizes. A domain in memory has no file. There is no user info.
  public static let sizeLimitExceededNotification = NSNotification.Name(
    "NSUserDefaultsSizeLimitExceededNotification")
}

extension UserDefaultsAdditions {
  /// How large a domain's file may become, in bytes, before `sizeLimitExceededNotification` is posted; 4 MiB at first.
  ///
  /// 0 or less stands for no limit. It goes for all objects of the process, from the next save on.
  @_disfavoredOverload
  public static var sizeLimit: Int {
    get { SizeMonitor.limit.withLock { $0 } }
    set { SizeMonitor.limit.withLock { $0 = newValue } }
  }
}

/// What the class has had for a long time and programs no longer need.
extension UserDefaults {
  /// Does nothing, as on Apple's systems: ``standard`` stays what it is.
  public class func resetStandardUserDefaults() {}

  /// The names of all persistent domains, sorted: files, domains made in memory, the application's and the global one.
  ///
  /// The classic counterpart is `persistentDomainNames()`.
  @available(*, deprecated, message: "use persistentDomain(forName:) with a name that you know")
  public final func persistentDomainNames() -> [String] {
    store.persistentNames
  }

  /// The name under which Apple's systems tell that the settings in iCloud were read; never posted here.
  public static let completedInitialCloudSyncNotification = NSNotification.Name(
    "NSUbiquitousUserDefaultsCompletedInitialSyncNotification")
  /// The name under which Apple's systems tell of another iCloud account; never posted here.
  public static let didChangeCloudAccountsNotification = NSNotification.Name(
    "NSUbiquitousUserDefaultsDidChangeAccountsNotification")
  /// The name under which Apple's systems tell that there is no iCloud account; never posted here.
  public static let noCloudAccountNotification = NSNotification.Name(
    "NSUbiquitousUserDefaultsNoCloudAccountNotification")
}
