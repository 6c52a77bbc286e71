extension BinaryFloatingPoint {
  /// The number itself, or for each NaN the positive quiet NaN without a payload.
  ///
  /// A text has only one `nan`. Values are normalised when they are set, so that they have the same bits
  /// before they are saved and after they are read.
  package var withOrdinaryNaN: Self { isNaN ? .nan : self }
}
