extension PropertyList {
  /// The options for parsing a text, whose dialects differ.
  public struct ParsingOptions: Hashable, Sendable {
    /// The character set of a text that is neither UTF-16 nor UTF-8.
    public enum EightBitEncoding: Sendable {
      /// NeXT's set, which OPENSTEP's own files use.
      case nextStep
      /// ISO 8859-1, which files of older GNUstep applications use.
      case isoLatin1
    }

    /// The meaning of the escapes `\200` to `\377`.
    public enum OctalEscapes: Sendable {
      /// Characters of NeXT's set, as in OPENSTEP.
      case nextStep
      /// Bytes of UTF-8, as Window Maker writes them; ill-formed sequences become U+FFFD.
      case utf8Bytes
    }

    /// The kind of a text.
    public enum Form: Sendable {
      /// A file: any value, or entries without outer braces; white space and comments
      /// alone are an empty dictionary.
      case file
      /// A defaults domain's file: as ``file``, but a file without any token is damaged.
      case domainFile
      /// An argument, by GNUstep's stricter rules: exactly one value, without single quotes and `key;`, and
      /// with a semicolon after each entry.
      case argument
    }

    /// The bounds of the parser.
    public var bounds = Bounds()
    /// The character set of a text that is neither UTF-16 nor UTF-8; NeXT's by default.
    public var eightBitEncoding = EightBitEncoding.nextStep
    /// The meaning of the escapes `\200` to `\377`; characters of NeXT's set by default.
    public var octalEscapes = OctalEscapes.nextStep
    /// The kind of the text; a file by default.
    public var form = Form.file
    /// Whether a text that begins with a comment which is never closed is an error, as in every form but ``Form/file``:
    /// most probably it was cut there.
    package var refusesOpenComment = false
    /// Whether a type note after a scalar (`5 /*integer*/`) gives the scalar its type; otherwise, and by
    /// default, it is an ordinary comment.
    public var honoursTypeNotes = false
    /// Whether a typed number is an error if its type would make another number of it, such as an infinity of `1e999`.
    package var refusesOtherNumbers = false

    /// Makes the options for a file of unknown origin.
    public init() {}

    /// The options for a defaults domain's file: with type notes, and a file without any token is damaged.
    public static var domainFile: ParsingOptions {
      var options = ParsingOptions()
      options.form = .domainFile
      options.honoursTypeNotes = true
      return options
    }

    /// The options for an argument, with type notes.
    public static var argument: ParsingOptions {
      var options = ParsingOptions()
      options.form = .argument
      options.honoursTypeNotes = true
      return options
    }
  }
}
