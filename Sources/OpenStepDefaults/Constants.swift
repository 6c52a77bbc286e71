// The names are OPENSTEP's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import DefaultsDatabase
public import Foundation

/// The name of the volatile domain of the command line's arguments.
public let NSArgumentDomain = DomainName.argument.text
/// The name of the persistent domain that all programs of a user share.
public let NSGlobalDomain = DomainName.global.text
/// The name of the volatile domain in which a program registers its own defaults.
public let NSRegistrationDomain = DomainName.registration.text

/// Posted when a persistent domain changes for the first time after a synchronize.
///
/// Its object is the `NSUserDefaults` through which the change was made, and it has no user info. It is
/// posted on `NotificationCenter.default` by the thread that made the change, which holds no lock, so that
/// observers may call back. A synchronize that reads external changes posts it too, once; registering
/// defaults and changing volatile domains never post it. `GNUstepUserDefaults` posts it more often, as GNUstep
/// does.
public let NSUserDefaultsDidChangeNotification = Notification.Name("NSUserDefaultsDidChangeNotification")
/// The older name of ``NSUserDefaultsDidChangeNotification``: the same notification.
public let NSUserDefaultsChanged = NSUserDefaultsDidChangeNotification
