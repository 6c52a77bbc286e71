package import DefaultsDatabase

/// A commit whose closure is running.
package final class CommitInProgress {
  /// The domain that is committed.
  package let domain: PersistentDomain
  /// The domain that the closure reads and changes in its place.
  let draft: PersistentDomain
  /// The object that the closure is given.
  package var object: AnyObject?
  /// Why the commit cannot be made, whatever the closure does then.
  package private(set) var refusal: DatabaseError?

  init(_ domain: PersistentDomain, draft: PersistentDomain) {
    (self.domain, self.draft) = (domain, draft)
  }

  /// Makes the commit fail.
  package func refuse(_ error: DatabaseError) {
    if refusal == nil { refusal = error }
  }

  /// Whether the closure may change a domain: the draft, and the process's volatile ones.
  func admits(_ domain: PersistentDomain) -> Bool {
    domain === draft || [.argument, .registration].contains(domain.name)
  }

  /// Makes the commit fail because its closure changes another domain.
  func refuseChange(of other: PersistentDomain) {
    refuse(
      DatabaseError(
        .refused, path: "“\(other.name)”",
        message:
          "cannot be changed inside a commit of “\(domain.name)”, except by the object that the closure is given",
        advice: "nothing was changed"))
  }
}
