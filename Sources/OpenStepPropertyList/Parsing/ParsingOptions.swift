extension PropertyList {
  /// How a text is to be read where its dialects differ.
  public struct ParsingOptions: Hashable, Sendable {
    /// The character set of a text that is neither UTF-16 nor UTF-8.
    public enum EightBitEncoding: Sendable {
      /// NeXT's set, the one that OPENSTEP's own files use.
      case nextStep
      /// ISO 8859-1, the one that older GNUstep applications ship.
      case isoLatin1
    }

    /// What `\200` to `\377` stand for.
    public enum OctalEscapes: Sendable {
      /// Characters of NeXT's set, as OPENSTEP means them.
      case nextStep
      /// Bytes of UTF-8, as Window Maker writes them; ill-formed ones become U+FFFD.
      case utf8Bytes
    }

    /// What the text is.
    public enum Form: Sendable {
      /// A file: any value, or entries without outer braces; only white space and comments are an empty dictionary.
      case file
      /// A defaults domain's file: as ``file``, but one without a single token is damaged.
      case domainFile
      /// A value given as an argument, by GNUstep's stricter rules: exactly one value, no single
      /// quotes, no `key;`, and the last semicolon is not optional.
      case argument
    }

    /// What is taken at most.
    public var bounds = Bounds()
    /// The character set of a text that is neither UTF-16 nor UTF-8; NeXT's at first.
    public var eightBitEncoding = EightBitEncoding.nextStep
    /// What `\200` to `\377` stand for; characters of NeXT's set at first.
    public var octalEscapes = OctalEscapes.nextStep
    /// What the text is; a file at first.
    public var form = Form.file
    /// Whether a type note behind a scalar (`5 /*integer*/`) makes it a typed value; else it is a mere comment.
    public var honoursTypeNotes = false

    /// Makes the options for a file of unknown origin.
    public init() {}

    /// The options for a defaults domain's file: type notes count, and a file without a token is damaged.
    public static var domainFile: ParsingOptions {
      var options = ParsingOptions()
      options.form = .domainFile
      options.honoursTypeNotes = true
      return options
    }

    /// The options for a value given as an argument.
    public static var argument: ParsingOptions {
      var options = ParsingOptions()
      options.form = .argument
      options.honoursTypeNotes = true
      return options
    }
  }
}
