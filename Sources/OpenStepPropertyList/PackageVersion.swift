/// The version of this package and of all its products, which is also the tag of the release.
package enum PackageVersion {
  /// Three numbers by the rules of semantic versioning.
  package static let text = "0.1.0"
}
