extension PropertyList {
  /// The bounds of a reader of property lists; a property list that exceeds one of them is an error.
  ///
  /// A reader checks a bound before it allocates memory that depends on it, so that the length of a file
  /// limits the time and the memory for reading it, even if the file is hostile.
  public struct Bounds: Hashable, Sendable {
    /// The maximum number of bytes in the file; 2^31−1 by default.
    public var byteCount = 2_147_483_647
    /// The maximum number of nested containers; ``PropertyList/maximumDepth`` by default, and never more.
    public var depth = PropertyList.maximumDepth
    /// The maximum number of values and keys in the file; ``PropertyList/maximumObjectCount`` by default.
    /// Each object of a binary file counts once.
    ///
    /// A value takes at least 16 bytes of memory, but a text can represent one with only two bytes.
    public var objectCount = PropertyList.maximumObjectCount
    /// The maximum size of a binary property list, relative to the file, if each shared object is counted at
    /// each reference; 16 by default. A million values and 64 MB are allowed in addition.
    ///
    /// Shared objects are read once, but comparing, hashing and writing a value visit them at each reference.
    public var sharingFactor = 16

    /// Makes the default bounds.
    public init() {}
  }
}
