import ScheduleKit

// One of the processes whose histories UpdateScheduleTests checks; the argument is the database's directory.
guard CommandLine.arguments.count == 2 else { fatalError("the argument is a directory") }
try ScheduleProcess.serve(CommandLine.arguments[1])
