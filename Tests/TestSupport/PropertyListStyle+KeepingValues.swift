public import OpenStepPropertyList

extension PropertyList.Style {
  /// The styles whose texts are read back to equal values; Window Maker's files hold strings only.
  public static var keepingValues: [PropertyList.Style] { allCases.filter { $0 != .windowMaker } }
}
