import DefaultsTool

// A child of the trials that DefaultsTortureTests makes through each face: the first argument names the face.
switch CommandLine.arguments.dropFirst().first {
case "classic": _ = try DefaultsCommand.runTortureChildIfAsked(through: ClassicDefaults.self)
case "modern": _ = try DefaultsCommand.runTortureChildIfAsked(through: ModernDefaults.self)
default: fatalError("the first argument is “classic” or “modern”")
}
