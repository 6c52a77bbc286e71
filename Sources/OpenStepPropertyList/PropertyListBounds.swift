extension PropertyList {
  /// What a reader of property lists takes at most; what passes a bound is an error.
  ///
  /// A reader checks a bound before it allocates anything that depends on it, so that the memory and the
  /// time that a file costs are bounded by its length, whoever wrote it.
  public struct Bounds: Hashable, Sendable {
    /// How many bytes the file may have; at first 2^31−1.
    public var byteCount = 2_147_483_647
    /// How many containers may be nested; at first, and never more than, ``PropertyList/maximumDepth``.
    public var depth = PropertyList.maximumDepth
    /// How many values and keys the file may have, each object of a binary file counted once; at first
    /// ``PropertyList/maximumObjectCount``.
    ///
    /// A value takes 16 bytes of memory and more, and as little as two in a text.
    public var objectCount = PropertyList.maximumObjectCount
    /// How many times larger than the file a binary property list may be where each shared object is counted
    /// as often as it is referred to; at first 16, with a million values or 64 MB more.
    ///
    /// Shared objects are read once, but to compare, hash or write a value visits them at each reference.
    public var sharingFactor = 16

    /// Makes the bounds that readers have by themselves.
    public init() {}
  }
}
