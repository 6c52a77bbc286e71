// The names are those of recent.h.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

// The documents that were opened last, ported from Objective-C.

/// How many documents the list keeps: the preference that the Objective-C part sets.
private var limit: Int { NSUserDefaults.standardUserDefaults().integerForKey("RecentDocuments") }

private let key = "NSRecentDocuments"

@c public func recent_add(_ path: UnsafePointer<CChar>) {
  let defaults = NSUserDefaults.standardUserDefaults()
  var paths = defaults.stringArrayForKey(key) ?? []
  let added = String(cString: path)
  paths.removeAll { $0 == added }
  paths.insert(added, at: 0)
  defaults.setObject(Array(paths.prefix(limit)), forKey: key)
}

@c public func recent_count() -> Int32 {
  Int32(NSUserDefaults.standardUserDefaults().stringArrayForKey(key)?.count ?? 0)
}
