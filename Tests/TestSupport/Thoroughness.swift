import Foundation

/// How much of a test that tries every case is run.
///
/// Such a test takes minutes where nothing is optimized, and seconds otherwise. An unoptimized build runs a part of it, or
/// nothing, and the optimized run of continuous integration all of it.
public enum Thoroughness {
  /// Whether the build is optimized, so that every case is tried.
  public static let isComplete: Bool = {
    var isOptimized = true
    assert(
      {
        isOptimized = false
        return true
      }())
    return isOptimized
  }()

  /// Why a test is not run otherwise.
  public static let absence = "it takes minutes where nothing is optimized: see Development.md"

  /// Whether a suite is run here that optimized builds run as a whole: an unoptimized one leaves it to them where it is told that
  /// they follow, as `.ci/run` does.
  public static let runsHere =
    isComplete || ProcessInfo.processInfo.environment["OPENSTEPDEFAULTS_OPTIMIZED_TESTS_FOLLOW"] == nil

  /// Why a suite is not run otherwise.
  public static let elsewhere = "an optimized build of continuous integration runs it: see Development.md"

  /// All of these cases, or the first ones in an unoptimized build.
  public static func cases<Case>(_ all: [Case], unoptimized count: Int) -> [Case] {
    isComplete ? all : Array(all.prefix(count))
  }

  /// All numbers below another, or every so many in an unoptimized build.
  public static func numbers(below end: Int, unoptimized step: Int) -> StrideTo<Int> {
    stride(from: 0, to: end, by: isComplete ? 1 : step)
  }
}
