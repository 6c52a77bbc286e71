extension PropertyList {
  public init(parsing bytes: [UInt8], options: ParsingOptions = ParsingOptions()) throws(PropertyListError) {
    throw PropertyListError(message: "not written yet")
  }
  public init(parsing text: String, options: ParsingOptions = ParsingOptions()) throws(PropertyListError) {
    try self.init(parsing: Array(text.utf8), options: options)
  }
}
