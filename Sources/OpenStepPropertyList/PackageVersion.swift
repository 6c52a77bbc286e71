/// The version of this package: what a release is tagged with, and what all its products are.
package enum PackageVersion {
  /// Three numbers by the rules of semantic versioning.
  package static let text = "0.1.0"
}
