// The errors that this module's calls throw and return, so that a program that imports only
// this module can name them.
@_exported public import struct DefaultsDatabase.DatabaseError
@_exported public import struct DefaultsFoundation.InvalidArgumentError
@_exported public import struct OpenStepPropertyList.PropertyListError
