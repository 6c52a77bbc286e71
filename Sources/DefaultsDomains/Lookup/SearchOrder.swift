/// The domains that a ``SearchPath`` searches, in their order, while other threads may change it.
///
/// It calls no path, and takes no lock that a thread holds while it calls a path.
package protocol SearchOrder: Sendable {
  /// How many domains there are at most. O(1).
  var count: Int { get }

  /// Calls a body with the domains of one moment, front to back, until it returns false.
  ///
  /// A call takes a time in proportion to the number of domains with which it calls the body.
  ///
  /// - Parameter body: It must not call back, and must not wait.
  func visit(_ body: (SearchPath.Domain) -> Bool)
}

/// An order that does not change.
extension [SearchPath.Domain]: SearchOrder {
  package func visit(_ body: (SearchPath.Domain) -> Bool) {
    for domain in self where !body(domain) { return }
  }
}
