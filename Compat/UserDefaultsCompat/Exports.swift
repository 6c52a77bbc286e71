// The errors that this module's calls throw and show, so that a program that imports this module alone can name them.
@_exported public import struct DefaultsDatabase.DatabaseError
@_exported public import struct DefaultsFoundation.InvalidArgumentError
@_exported public import struct OpenStepPropertyList.PropertyListError
