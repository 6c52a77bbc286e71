import Foundation
import OpenStepPropertyList

/// Asks drivers the questions of files, and prints where their answers are the expected ones.
package struct Conformance {
  /// The exit codes of the program.
  private enum Status {
    static let asExpected: Int32 = 0
    static let notAsExpected: Int32 = 1
    static let usage: Int32 = 2
    static let brokenDriver: Int32 = 3
  }

  private let options: Options

  /// Runs the program `conformance`, or a process of it that is a driver, and gives its exit code.
  package static func main() -> Int32 {
    let arguments = Array(CommandLine.arguments.dropFirst())
    do {
      if let name = ProcessInfo.processInfo.environment[Implementation.variable] {
        try Performer.run(name)
        return Status.asExpected
      }
      if ["--help", "-h", "help"].contains(arguments.first) {
        print(Options.help)
        return Status.asExpected
      }
      return try Conformance(options: try Options(arguments)).run()
    } catch let error as UsageError {
      complain("\(error); see “conformance --help”")
      return Status.usage
    } catch let error as BrokenDriver {
      complain("\(error)")
      return Status.brokenDriver
    } catch let error as CocoaError {
      complain("\(error.filePath.map { "\($0): " } ?? "")\(error.localizedDescription)")
      return Status.usage
    } catch {
      complain("\(error)")
      return Status.usage
    }
  }

  /// Asks the questions, prints the results, and gives the exit code.
  private func run() throws -> Int32 {
    let files = try readFiles()
    let all = files.flatMap(\.questions)
    let questions = all.filter { question in
      (options.idPrefixes.isEmpty || options.idPrefixes.contains { question.id.hasPrefix($0) })
        && (options.basis.map { $0 == question.basis } ?? true)
    }
    for prefix in options.idPrefixes where !all.contains(where: { $0.id.hasPrefix(prefix) }) {
      throw UsageError(
        QuestionFile.successor(of: prefix).map { "\(prefix) is \($0) now" }
          ?? "there is no question whose id begins with “\(prefix)”")
    }
    let expected = try options.expected.map { try ExpectedList(path: $0) }
    let merged = try options.merged.map { try Results(path: $0) }
    let builder = DriverBuilder()
    let drivers = try makeDrivers(builder)
    // Otherwise a question of an unknown API would not be noticed.
    let strangers = questions.filter { !$0.apisInvolved.isSubset(of: ["classic", "modern"]) }
    let answers = Player(width: options.jobs).play(questions, drivers)
    let tally = Tally(answers, of: drivers)
    for line in files.flatMap(\.damage) { Conformance.complain(line) }
    for question in strangers {
      Conformance.complain(
        "\(question.id): there is no API “\(question.apisInvolved.sorted().joined(separator: "”, “"))”")
    }
    if !drivers.isEmpty {
      // The list is another implementation's, and excuses nothing of this package's own classes.
      let printed = answers.filter {
        options.isVerbose || $0.driver.definesExpectations || !(expected?.excuses($0) ?? false)
      }
      printResults(printed, tally)
    }

    let breaches = tellBreaches(answers, drivers)
    let foreign = answers.filter { !$0.driver.definesExpectations }
    if let path = options.expectedToWrite {
      try Data(ExpectedList.text(excusing: foreign).utf8).write(
        to: URL(fileURLWithPath: path), options: .atomic)
    }
    try write(
      Results(answers, of: drivers, day: Results.today).merging(merged, all), questions, of: all.count)
    let complaints = expected?.complaints(foreign, of: all, allowsBetter: options.allowsBetter)
    for line in complaints ?? [] { Conformance.complain(line) }
    if breaches > 0 { return Status.brokenDriver }
    let isGood = complaints?.isEmpty ?? !foreign.contains(where: isFailure)
    let isWhole =
      files.allSatisfy(\.damage.isEmpty) && strangers.isEmpty && (drivers.isEmpty || !answers.isEmpty)
    return tally.isClean && isGood && isWhole ? Status.asExpected : Status.notAsExpected
  }

  /// Writes the files that the command line names: the results, and the page about questions.
  private func write(_ results: Results, _ questions: [Question], of count: Int) throws {
    if let path = options.results {
      try Data(results.text(questions: count).utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
    }
    if let path = options.page {
      try Data(Page(questions, results).text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
    }
  }

  private func readFiles() throws -> [QuestionFile] {
    let paths = options.paths.isEmpty ? QuestionFile.own : options.paths
    if options.paths.isEmpty {
      for path in paths where !FileManager.default.fileExists(atPath: path) {
        throw UsageError("the project's own questions are not at \(path); name a file")
      }
    }
    return try paths.map { try QuestionFile(path: $0) }
  }

  private func makeDrivers(_ builder: DriverBuilder) throws -> [Driver] {
    guard let runner = Bundle.main.executableURL?.resolvingSymlinksInPath().path else {
      throw NotSupported(what: "a runner without a file")
    }
    var drivers = try options.classes.map { try builder.copied(Driver($0, runner: runner)) }
    for path in options.manifests {
      let driver = try builder.make(try Driver(manifest: path))
      guard !drivers.contains(where: { $0.id == driver.id }) else {
        throw UsageError("\(path): there is another driver with the id “\(driver.id)”")
      }
      drivers.append(driver)
    }
    for index in drivers.indices { drivers[index].isValidated = options.isValidating }
    return drivers
  }

  private func isFailure(_ answer: Answer) -> Bool {
    answer.driver.builtIn == nil && answer.verdict != .agrees && answer.question.basis != .choice
  }

  private func printResults(_ answers: [Answer], _ tally: Tally) {
    if options.isJSON {
      print(tally.json)
      return
    }
    for answer in answers {
      let isFact = answer.driver.builtIn.map { !$0.definesExpectations } ?? false
      let isShown = ![.agrees, .notRun].contains(answer.verdict) && !isFact
      if options.isVerbose || isShown { print(answer) }
    }
    for line in tally.lines { print(line) }
  }

  /// Names the first wrong message of each driver, and gives the number of drivers with one.
  private func tellBreaches(_ answers: [Answer], _ drivers: [Driver]) -> Int {
    var count = 0
    for driver in drivers {
      let own = answers.filter { $0.driver.id == driver.id }
      if let answer = own.first(where: { $0.verdict == .broken }) {
        count += 1
        let unasked = own.count { $0.verdict == .notRun }
        Conformance.complain(
          "\(driver.id): \(answer.question.id): \(answer.breach ?? "the protocol is broken")"
            + (unasked > 0 ? "; after three failures in a row, \(unasked) questions were not asked" : ""))
      } else if options.isValidating {
        Conformance.complain("\(driver.id): every message is right, at \(own.count) questions")
      }
    }
    return count
  }

  static func complain(_ line: String) {
    FileHandle.standardError.write(Data("conformance: \(line)\n".utf8))
  }
}
