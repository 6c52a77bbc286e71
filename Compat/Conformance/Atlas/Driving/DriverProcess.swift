import DefaultsDatabase
import Foundation
import OpenStepPropertyList

/// A running driver: messages go to its standard input, replies come from its standard output, a line each.
///
/// The process has a process group of its own, all of which is killed at the end. What it does, no call takes
/// longer than its limit, and no more than a line and the beginning of standard error is kept in memory.
final class DriverProcess {
  /// Why there is no reply.
  enum Failure: Error {
    /// The pipe ended before the reply.
    case ended
    /// There was no reply in time; the process was killed.
    case late
    /// What came is no reply to the message.
    case broken(String)
  }

  /// The bytes that a line may have.
  static let longestLine = 1 << 20
  /// The bytes of standard error that are kept.
  private static let longestComplaint = 64 << 10

  private let identifier: pid_t
  private var input: Int32
  private let output: Int32
  private let errors: Int32
  private var received: [UInt8] = []
  private var complaintBytes: [UInt8] = []
  private var outputHasEnded = false
  private var errorsHaveEnded = false
  private var isReaped = false
  /// The status after a normal end; nil after a signal.
  private var status: Int32?

  /// What the process wrote to standard error, from the beginning.
  var complaint: String {
    DriverProcess.withoutControls(String(decoding: complaintBytes, as: UTF8.self))
  }

  /// A text that a terminal shows and does not obey.
  private static func withoutControls(_ text: String) -> String {
    let scalars = text.unicodeScalars.map { scalar in
      let isControl = scalar.properties.generalCategory == .control && scalar != "\n" && scalar != "\t"
      return isControl ? "\u{FFFD}" : scalar
    }
    return String(String.UnicodeScalarView(scalars))
  }

  /// Starts a program; its name is the last part of the path.
  init(program: String, arguments: [String], environment: [String: String], folder: String) throws {
    DriverProcess.ignoreBrokenPipes
    let (forInput, forOutput, forErrors) = (try Pipe(), try Pipe(), try Pipe())
    (input, output, errors) = (forInput.write, forOutput.read, forErrors.read)
    defer { for end in [forInput.read, forOutput.write, forErrors.write] { close(end) } }
    do {
      identifier = try Spawning.start(
        program: program, arguments: arguments, environment: environment, folder: folder,
        streams: [forInput.read, forOutput.write, forErrors.write])
    } catch {
      for end in [input, output, errors] { close(end) }
      throw error
    }
    for end in [input, output, errors] { _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK) }
  }

  deinit {
    kill()
    for end in [input, output, errors] where end >= 0 { close(end) }
  }

  /// A driver that has ended makes a pipe without a reader, which is an error of the call and no signal.
  private static let ignoreBrokenPipes: Void = { _ = signal(SIGPIPE, SIG_IGN) }()

  // MARK: - Messages

  /// Sends a message and gives the reply.
  func ask(_ message: JSON, seconds: Double) throws(Failure) -> JSON {
    guard received.isEmpty else { throw .broken("a line that answers no message: \(shown(received))") }
    let deadline = MonotonicTime.now + seconds
    try send(Array((message.description + "\n").utf8), deadline)
    while true {
      if let end = received.firstIndex(of: 0x0A) {
        let line = Array(received[..<end])
        received.removeSubrange(...end)
        return try reply(line)
      }
      guard received.count <= DriverProcess.longestLine else {
        throw .broken("a line of more than \(DriverProcess.longestLine) bytes: \(shown(received))")
      }
      guard !outputHasEnded else {
        guard received.isEmpty else { throw .broken("a line without an end: \(shown(received))") }
        throw .ended
      }
      try wait(until: deadline)
    }
  }

  /// Says that this is all, and gives whether the process ended by itself with status 0.
  func end(seconds: Double) throws(Failure) -> Bool {
    guard received.isEmpty else { throw .broken("a line that answers no message: \(shown(received))") }
    let deadline = MonotonicTime.now + seconds
    do {
      try send(Array("{\"do\": \"end\"}\n".utf8), deadline)
    } catch .ended {
      // The status says whether the end was a good one.
    }
    close(input)
    input = -1
    while !hasEnded {
      guard received.isEmpty else { throw .broken("a line behind the last reply: \(shown(received))") }
      try wait(until: deadline)
    }
    readAll()
    guard received.isEmpty else { throw .broken("a line behind the last reply: \(shown(received))") }
    kill()
    return status == 0
  }

  private func send(_ bytes: [UInt8], _ deadline: MonotonicTime) throws(Failure) {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
      if count > 0 {
        sent += count
      } else if errno == EAGAIN {
        try wait(until: deadline, toWrite: true)
        guard received.count <= DriverProcess.longestLine else {
          throw .broken("a line of more than \(DriverProcess.longestLine) bytes: \(shown(received))")
        }
      } else if errno != EINTR {
        throw .ended
      }
    }
  }

  private func reply(_ line: [UInt8]) throws(Failure) -> JSON {
    guard String(validating: line, as: UTF8.self) != nil else {
      throw .broken("a line that is not UTF-8: \(shown(line))")
    }
    do {
      let json = try JSONReader.value(of: line)
      guard case .object = json else { throw Failure.broken("a line that is no JSON object: \(shown(line))") }
      return json
    } catch let error as JSONError {
      throw .broken("a line that is not JSON (\(error)): \(shown(line))")
    } catch let error as Failure {
      throw error
    } catch {
      throw .broken("\(error)")
    }
  }

  private func shown(_ bytes: [UInt8]) -> String {
    let text = String(decoding: bytes.prefix(200).filter { $0 != 0x0A }, as: UTF8.self)
    return "“\(DriverProcess.withoutControls(text))”" + (bytes.count > 200 ? "…" : "")
  }

  // MARK: - Waiting

  /// Waits until something can be read or written, the process has ended, or a moment has passed.
  private func wait(until deadline: MonotonicTime, toWrite: Bool = false) throws(Failure) {
    guard MonotonicTime.now < deadline else {
      kill()
      throw .late
    }
    var ends: [pollfd] = []
    if !outputHasEnded { ends.append(pollfd(fd: output, events: Int16(POLLIN), revents: 0)) }
    if !errorsHaveEnded { ends.append(pollfd(fd: errors, events: Int16(POLLIN), revents: 0)) }
    if toWrite { ends.append(pollfd(fd: input, events: Int16(POLLOUT), revents: 0)) }
    // Another process may hold the pipes after the driver's end, so that they tell nothing; and the end of
    // both pipes comes a moment before the end of the process.
    let milliseconds: Int32 = outputHasEnded ? 1 : 50
    if poll(&ends, nfds_t(ends.count), milliseconds) == 0, hasEnded {
      readAll()
      outputHasEnded = true
    } else {
      readAll()
    }
  }

  /// Reads what is there, of replies no more than a line may have.
  private func readAll() {
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while !outputHasEnded, received.count <= DriverProcess.longestLine {
      let count = read(output, &buffer, buffer.count)
      if count > 0 { received += buffer[..<count] }
      if count == 0 { outputHasEnded = true }
      if count == 0 || (count < 0 && errno != EINTR) { break }
    }
    // As much as one reading gives: a process that never stops writing must not keep the runner here.
    guard !errorsHaveEnded else { return }
    let count = read(errors, &buffer, buffer.count)
    if count == 0 { errorsHaveEnded = true }
    if count > 0 {
      complaintBytes += buffer[..<count].prefix(DriverProcess.longestComplaint - complaintBytes.count)
    }
  }

  /// Whether the process has ended; it keeps its number until it is reaped.
  private var hasEnded: Bool {
    if isReaped { return true }
    var information = siginfo_t()
    guard waitid(P_PID, id_t(identifier), &information, WEXITED | WNOHANG | WNOWAIT) == 0 else { return true }
    #if canImport(Darwin)
      return information.si_pid != 0
    #else
      return information.si_signo != 0
    #endif
  }

  /// Kills the process and all that it started in its group, and reaps it.
  func kill() {
    guard !isReaped else { return }
    // Before the process is reaped, no other can have its number.
    _ = Foundation.kill(-identifier, SIGKILL)
    _ = Foundation.kill(identifier, SIGKILL)
    var result: Int32 = 0
    var reaped: pid_t
    repeat { reaped = waitpid(identifier, &result, 0) } while reaped < 0 && errno == EINTR
    // Where the runner's parent has it ignore its children, their status is not known.
    status = reaped == identifier && result & 0x7F == 0 ? result >> 8 & 0xFF : nil
    isReaped = true
    // What was written before the end.
    readAll()
  }

  /// Both ends of a pipe, which programs that are started do not get.
  private struct Pipe {
    let read: Int32
    let write: Int32

    init() throws {
      var ends: [Int32] = [-1, -1]
      let result = Spawning.turn.withLock { _ in
        let result = pipe(&ends)
        for end in ends where result == 0 { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return result
      }
      guard result == 0 else { throw NotSupported(what: "a pipe: \(String(cString: strerror(errno)))") }
      (read, write) = (ends[0], ends[1])
    }
  }
}
