import GNUstepCompat
import OpenStepDefaults
import RivalDatabase
import TypedDefaults
import UserDefaultsCompat

// A program that imports several products, and a library that has types of the same names.

// The other library's error by its short name; without this line the name would be ambiguous.
typealias DatabaseError = RivalDatabase.DatabaseError

/// What a program does with the errors of both.
public func describeMixed(_ error: any Error) -> String {
  switch error {
  case let error as DatabaseError: "the other library's: \(error.sql)"
  case let error as OpenStepDefaults.DatabaseError: "\(error.kind): \(error.propertyListError?.line ?? 0)"
  case is UserDefaultsCompat.InvalidArgumentError: "an invalid argument"
  default: "other"
  }
}
