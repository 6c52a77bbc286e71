extension BinaryFloatingPoint {
  /// The number itself; for each NaN the positive quiet one without a payload.
  ///
  /// Text has one `nan`. What is set goes through this, so that it has the same bit pattern before it is saved
  /// and after it is read again.
  package var withOrdinaryNaN: Self { isNaN ? .nan : self }
}
