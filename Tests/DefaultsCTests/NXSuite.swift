import OpenStepDefaults
import TestSupport

/// Tests of NeXT's functions, on a database of their own.
protocol NXSuite {
  var home: TemporaryHome { get }
}

extension NXSuite {
  var directory: String { home.path("Defaults") }

  func start(_ arguments: String...) throws -> NXProgram.Session {
    try NXProgram.start(in: directory, arguments)
  }

  /// The classic class on the same database, in the process of the tests, and so another one.
  func classic(_ application: String = "WriteNow") -> NSUserDefaults {
    NSUserDefaults(directory: directory, applicationName: application)
  }
}
