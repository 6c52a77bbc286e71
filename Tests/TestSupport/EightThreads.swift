import Foundation

/// Threads of their own, not the few that all tests' tasks share.
public enum EightThreads {
  /// Runs a body on eight threads at once, which it is told apart by, and waits for all.
  public static func run(_ body: @escaping @Sendable (Int) -> Void) async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let group = DispatchGroup()
      for index in 0..<8 {
        group.enter()
        Thread.detachNewThread {
          body(index)
          group.leave()
        }
      }
      group.notify(queue: .global()) { continuation.resume() }
    }
  }
}
