import DefaultsDatabase
import Foundation

/// Shows the progress on a terminal; prints nothing to a file or a pipe.
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
      show("\(done) of \(total) questions")
    }
  }

  /// Erases the line.
  func end() {
    show("")
  }

  private func show(_ text: String) {
    guard isShown else { return }
    FileHandle.standardError.write(Data("\r\u{1B}[K\(text)".utf8))
  }
}
