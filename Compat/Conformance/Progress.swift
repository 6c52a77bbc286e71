import DefaultsDatabase
import Foundation

/// Tells on a terminal how far the playing is; says nothing to a file or a pipe.
final class Progress: Sendable {
  private let total: Int
  private let done = Lock(0)
  private let isShown = isatty(FileHandle.standardError.fileDescriptor) == 1

  init(total: Int) {
    self.total = total
  }

  func step() {
    done.withLock { done in
      done += 1
      show("\(done) of \(total) vectors")
    }
  }

  /// Takes the line away.
  func end() {
    show("")
  }

  private func show(_ text: String) {
    guard isShown else { return }
    FileHandle.standardError.write(Data("\r\u{1B}[K\(text)".utf8))
  }
}
