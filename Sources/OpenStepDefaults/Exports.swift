// The types in this module's public declarations, so that a program that imports only
// this module can name them.
@_exported public import struct DefaultsDatabase.DatabaseError
@_exported public import struct DefaultsDomains.DefaultOrigin
@_exported public import struct DefaultsDomains.DomainSave
@_exported public import struct DefaultsDomains.DomainSaves
@_exported public import struct DefaultsFoundation.InvalidArgumentError
@_exported public import enum OpenStepPropertyList.PropertyList
@_exported public import struct OpenStepPropertyList.PropertyListDate
@_exported public import struct OpenStepPropertyList.PropertyListError
@_exported public import struct OpenStepPropertyList.PropertyListInteger
@_exported public import struct OpenStepPropertyList.PropertyListKey
