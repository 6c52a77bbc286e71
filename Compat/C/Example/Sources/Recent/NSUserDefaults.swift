@_exported import GNUstepCompat

typealias NSUserDefaults = GNUstepUserDefaults
