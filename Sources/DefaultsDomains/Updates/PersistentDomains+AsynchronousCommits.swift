import DefaultsDatabase

/// Asynchronous commits.
extension PersistentDomains {
  /// Makes a commit on a thread of the package, in its turn.
  ///
  /// - Parameter commit: Makes the commit (``commit(_:observers:in:_:changed:)``) in the turn that it is given.
  package func commitAsynchronously(_ commit: @escaping @Sendable (CommitTurn) -> Void) {
    let turn = CommitTurn(in: self)
    let (isNext, parentsWork) = state.withLock { state in
      let parentsWork = state.beginWork()
      state.work.commits.append {
        commit(turn)
        turn.end()
      }
      defer { state.work.isCommitWaiting = true }
      return (!state.work.isCommitWaiting, parentsWork)
    }
    withExtendedLifetime(parentsWork) {}
    if isNext { beginNextCommit(afterAnother: false) }
  }

  /// Begins the next commit if there is one.
  ///
  /// - Parameter isAnother: Whether the calling thread makes another one.
  func beginNextCommit(afterAnother isAnother: Bool) {
    let commit = state.withLock { state in
      let commit = state.work.commits.next()
      state.work.isCommitWaiting = commit != nil
      return commit
    }
    if let commit { WorkerThreads.forCommits.run(fromJob: isAnother, commit) }
  }
}
