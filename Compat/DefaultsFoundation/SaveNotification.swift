import DefaultsDomains
package import Foundation

/// The notification of each save of a domain.
package enum SaveNotification {
  /// The notification's name.
  package static let name = Notification.Name("NSUserDefaultsDidSaveNotification")
  /// The key of the domain's name in the user info.
  package static let domainKey = "NSUserDefaultsSavedDomain"
  /// The key of the database's directory in the user info.
  package static let directoryKey = "NSUserDefaultsSavedDirectory"

  /// Makes each save of the process post the notification, from the first use on.
  package static let begin: Void = SaveReports.setHandler { save in
    NotificationCenter.default.post(
      name: name, object: nil, userInfo: [domainKey: save.domain, directoryKey: save.directory])
  }
}
