// The one file by which a GNUstep program moves over.
@_exported public import GNUstepCompat

typealias NSUserDefaults = GNUstepUserDefaults
