import DefaultsTool

// Returns in a child of `defaults torture` only, of which some end by returning and some by an uncaught error.
try DefaultsCommand.runProcess()
