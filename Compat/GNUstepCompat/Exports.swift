// Exported, because the class here inherits from that module's class, and programs use both together.
@_exported public import OpenStepDefaults
