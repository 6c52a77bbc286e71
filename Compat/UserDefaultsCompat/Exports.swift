// The modules of the types in this module's public declarations, so that a program that imports only this module can
// name them. No import names a type: an import of one type hides what other libraries have under its name, and a
// program that catches another library's `DatabaseError` would silently catch this package's.
@_exported public import DefaultsDatabase
@_exported public import DefaultsDomains
@_exported public import DefaultsFoundation
@_exported public import OpenStepPropertyList
