import TypedDefaults

extension Defaults.Keys {
  static let quality = Key<Double>("quality", default: 0.8)
  static let recent = Key<[String]>("recent", default: [])
}
print(Defaults[.quality], Defaults[.recent])
Defaults[.quality] += 0.1
Defaults[.recent].append("a.txt")
print(Defaults[.quality], Defaults[.recent])
