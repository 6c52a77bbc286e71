import DefaultsDatabase

/// Tests of several users, which only the administrator can be.
///
/// Where somebody else runs the tests these are skipped, except on the build server.
public enum Administrator {
  /// What a skipped test says.
  public static let absence = "only the administrator can become several users"

  /// Whether tests that need the administrator's rights are to run: they are there, or their absence is a failure.
  public static var isExpected: Bool {
    BuildServer.isRunning || CurrentProcess.effectiveUser == 0
  }
}
