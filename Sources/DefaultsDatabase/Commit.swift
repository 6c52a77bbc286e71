/// What a save found and what it left.
package struct Commit: Sendable {
  /// The file that lay there when the changes were merged; nil where there was none.
  package var before: FileIdentity?
  /// Whether its text is the one that the caller knew.
  package var foundKnownText = false
  /// What lies there now.
  package var after: LoadedDomain
  /// The path of the damaged file that was moved aside, if there was one.
  package var movedAside: String?
}

/// What a save does where it finds a damaged file.
package enum DamagePolicy: Sendable {
  /// Keep it beside the new file, under a name that ``Commit/movedAside`` tells.
  case moveAside
  /// Save nothing and leave every byte.
  case refuse
}
