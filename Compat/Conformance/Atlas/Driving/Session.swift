import OpenStepPropertyList

/// The conversation with one process of a driver, message by message.
final class Session {
  private let process: DriverProcess
  private let driver: Driver
  private var number = 0
  /// What the driver said of itself.
  private(set) var version = ""

  /// What the process wrote to standard error.
  var complaint: String { process.complaint }

  /// Starts a process, and exchanges the first messages.
  init(_ process: DriverProcess, _ driver: Driver, api: String, store: String) throws {
    (self.process, self.driver) = (process, driver)
    let hello: JSON = .object([
      "do": .string("hello"), "protocol": .number(1), "api": .string(api), "store": .string(store),
    ])
    let reply = try process.ask(hello, seconds: driver.seconds)
    guard case .number(1)? = reply["protocol"] else {
      throw DriverProcess.Failure.broken("the reply to hello has no \"protocol\": 1: \(reply)")
    }
    version = reply["version"]?.text ?? ""
  }

  /// Has a step performed.
  func perform(_ step: JSON, extraSeconds: Double = 0) throws(DriverProcess.Failure) -> JSON {
    let outcome = try ask(["do": .string("step"), "step": step], driver.seconds + extraSeconds)
    if driver.isValidated, let fault = OutcomeForm.fault(in: outcome) {
      throw .broken("the outcome of \(step): \(fault): \(outcome)")
    }
    return outcome
  }

  /// Has a text parsed.
  func parse(base64: String) throws(DriverProcess.Failure) -> JSON {
    let message: [PropertyListKey: JSON] = [
      "do": .string("parse"), "base64": .string(base64), "form": .string("file"),
    ]
    let outcome = try ask(message, driver.seconds)
    if driver.isValidated, let fault = OutcomeForm.faultOfText(in: outcome) {
      throw .broken("the outcome of a text: \(fault): \(outcome)")
    }
    return outcome
  }

  private func ask(
    _ message: [PropertyListKey: JSON], _ seconds: Double
  ) throws(DriverProcess.Failure) -> JSON {
    var message = message
    message["n"] = .number(Double(number))
    let reply = try process.ask(.object(message), seconds: seconds)
    guard case .number(Double(number))? = reply["n"] else {
      throw .broken("message \(number) is answered by “\(reply["n"]?.description ?? "no n")”")
    }
    guard let outcome = reply["outcome"] else { throw .broken("a reply without “outcome”: \(reply)") }
    number += 1
    return outcome
  }

  /// Ends the process, and gives whether it ended well.
  func end() throws(DriverProcess.Failure) -> Bool {
    try process.end(seconds: driver.seconds)
  }
}
