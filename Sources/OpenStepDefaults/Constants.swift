// The names are OPENSTEP's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import DefaultsDatabase
public import Foundation

/// The name of the volatile domain that the command line makes.
public let NSArgumentDomain = DomainName.argument.text
/// The name of the persistent domain that all programs of a user share.
public let NSGlobalDomain = DomainName.global.text
/// The name of the volatile domain that a program registers its own defaults in.
public let NSRegistrationDomain = DomainName.registration.text

/// Posted when a persistent domain changes for the first time after a synchronize.
///
/// Its object is the `NSUserDefaults` through which the change was made, and it has no user info. It
/// is posted on `NotificationCenter.default` by the thread that made the change, outside every lock,
/// so that observers may call back. A synchronize that reads others' changes posts it too, once;
/// registering defaults and changing volatile domains never do.
public let NSUserDefaultsDidChangeNotification = Notification.Name("NSUserDefaultsDidChangeNotification")
/// The older name of ``NSUserDefaultsDidChangeNotification``: the same notification.
public let NSUserDefaultsChanged = NSUserDefaultsDidChangeNotification
