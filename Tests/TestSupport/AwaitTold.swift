import DefaultsDatabase

/// Waits until a condition holds; the test's time limit is the bound.
///
/// A thread that has told of others' changes of a key for a while leaves the rest to a worker thread: when
/// all setters have returned, observers need not have been told everything yet. A test that runs into its
/// time limit is cancelled; then this returns, and the expectations that follow fail.
package func awaitTold(_ condition: () -> Bool) {
  while !condition(), !Task.isCancelled { CurrentProcess.pause(microseconds: 1000) }
}
