import DefaultsDatabase
import DefaultsDomains
public import Foundation

extension UserDefaults {
  /// Posted by an object each time that it sets or removes a value or replaces a persistent domain.
  ///
  /// The thread that made the change posts it, even if the new value equals the old one; it is never posted
  /// for external changes, which ``UserDefaultsAdditions/observe(_:options:changeHandler:)`` reports. There
  /// is no user info. The classic class posts the same name for its own objects, by its own rule.
  public static let didChangeNotification = NSNotification.Name("NSUserDefaultsDidChangeNotification")

  /// Posted by every object whose application domain's file has grown beyond
  /// ``UserDefaultsAdditions/sizeLimit``; no data is lost.
  ///
  /// Posted once when a save by this process leaves the file above the limit, and again only after the file
  /// was below it; by the thread that posts `didSaveNotification`. A domain in memory has no
  /// file. There is no user info.
  public static let sizeLimitExceededNotification = NSNotification.Name(
    "NSUserDefaultsSizeLimitExceededNotification")
}

extension UserDefaultsAdditions {
  /// The size of a domain's file, in bytes, above which `sizeLimitExceededNotification` is
  /// posted; initially 4 MiB.
  ///
  /// 0 or less means no limit. It applies to all objects of the process, from the next save on.
  @_disfavoredOverload
  public static var sizeLimit: Int {
    get { SizeMonitor.limit.withLock { $0 } }
    set { SizeMonitor.limit.withLock { $0 = newValue } }
  }
}

/// Old notifications of Apple's class that programs no longer need.
extension UserDefaults {
  /// The notification by which Apple's systems report that the settings in iCloud were
  /// read; never posted here.
  public static let completedInitialCloudSyncNotification = NSNotification.Name(
    "NSUbiquitousUserDefaultsCompletedInitialSyncNotification")
  /// The notification by which Apple's systems report another iCloud account; never posted here.
  public static let didChangeCloudAccountsNotification = NSNotification.Name(
    "NSUbiquitousUserDefaultsDidChangeAccountsNotification")
  /// The notification by which Apple's systems report that there is no iCloud account; never posted here.
  public static let noCloudAccountNotification = NSNotification.Name(
    "NSUbiquitousUserDefaultsNoCloudAccountNotification")
}
