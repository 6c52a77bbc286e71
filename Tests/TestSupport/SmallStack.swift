import Foundation
public import OpenStepPropertyList

/// The stack of a thread that a program makes for small work: a half of what Foundation gives one.
public let smallStack = 256 << 10

/// Runs a body on a thread of its own, which has so many bytes of stack.
public func onThread<Result: Sendable>(
  stack byteCount: Int = smallStack, _ body: @escaping @Sendable () -> Result
) async -> Result {
  await withCheckedContinuation { continuation in
    let thread = Thread { continuation.resume(returning: body()) }
    thread.stackSize = byteCount
    thread.start()
  }
}

/// A text inside so many arrays or dictionaries.
public func nested(_ depth: Int, inDictionaries: Bool) -> PropertyList {
  (0..<depth).reduce("x") { value, _ in inDictionaries ? ["k": value] : [value] }
}
