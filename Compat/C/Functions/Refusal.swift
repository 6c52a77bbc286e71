import COpenStepDefaults
import DefaultsDatabase
import DefaultsFoundation

/// Why a function does not return `OSD_OK`.
enum Refusal: Error {
  /// There is no such value.
  case absent
  /// An argument cannot be used; a sentence.
  case badArgument(String)
  /// The database, a file or a name was refused; a sentence.
  case failed(String)

  init(_ error: any Error) {
    switch error {
    case let error as Refusal: self = error
    // A value or a name that no domain takes; what is wrong with it is in the message.
    case let error as InvalidArgumentError: self = .failed(error.reason)
    default: self = .failed("\(error)")
    }
  }
}

/// Runs the body of a function, and gives its status; the sentence is kept for the thread.
func status(of body: () throws(Refusal) -> Void) -> osd_status {
  do throws(Refusal) {
    try body()
    return OSD_OK
  } catch {
    switch error {
    case .absent:
      return OSD_ABSENT
    case .badArgument(let sentence):
      ThreadMessage.set(sentence)
      return OSD_BAD_ARGUMENT
    case .failed(let sentence):
      ThreadMessage.set(sentence)
      return OSD_FAILED
    }
  }
}

/// Runs a body, whose errors of any type become refusals.
func refusing<Result>(_ body: () throws -> Result) throws(Refusal) -> Result {
  do {
    return try body()
  } catch {
    throw Refusal(error)
  }
}
