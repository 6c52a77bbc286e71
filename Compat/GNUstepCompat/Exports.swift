// The class that this module's inherits from, with all that it shows: no program uses one without the other.
@_exported public import OpenStepDefaults
