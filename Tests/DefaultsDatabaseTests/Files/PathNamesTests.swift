import DefaultsDatabase
import Testing

/// The names of which a path consists.
struct PathNamesTests {
  @Test(
    "a path is divided at its slashes, whatever stands behind one",
    arguments: [
      ("/a/b.plist", ["a", "b.plist"], "b.plist"), ("a//./b/", ["a", "b"], "b"), ("a", ["a"], "a"),
      ("", [], ""), ("/", [], "/"), ("/a/\u{301}b", ["a", "\u{301}b"], "\u{301}b"),
      ("a/..", ["a", ".."], ".."),
    ])
  func names(path: String, all: [String], last: String) {
    #expect(PathNames.all(in: path) == all)
    #expect(PathNames.last(in: path) == last)
  }
}
