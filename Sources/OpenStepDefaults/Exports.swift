// What the public declarations of this module show, so that a program that imports this module alone can name it.
@_exported public import struct DefaultsDatabase.DatabaseError
@_exported public import struct DefaultsFoundation.InvalidArgumentError
@_exported public import enum OpenStepPropertyList.PropertyList
@_exported public import struct OpenStepPropertyList.PropertyListDate
@_exported public import struct OpenStepPropertyList.PropertyListError
@_exported public import struct OpenStepPropertyList.PropertyListInteger
@_exported public import struct OpenStepPropertyList.PropertyListKey
