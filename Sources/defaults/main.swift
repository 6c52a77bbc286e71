import DefaultsTool

// This returns or throws only in a child of `defaults torture`: some children end by a return from main, and
// some by an uncaught error.
try DefaultsCommand.runProcess()
