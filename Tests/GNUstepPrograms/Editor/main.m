/* Editor [VERB ARGUMENT…]: changes the preferences, and prints them. */

#import "EditorPreferences.h"

static NSString *argument(NSArray *arguments, NSUInteger index)
{
  return index < [arguments count] ? [arguments objectAtIndex: index] : @"";
}

int main(void)
{
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  NSArray *arguments = [[NSProcessInfo processInfo] arguments];
  EditorPreferences *preferences = [EditorPreferences sharedPreferences];
  NSString *verb = argument(arguments, 1), *first = argument(arguments, 2), *second = argument(arguments, 3);

  if ([verb isEqual: @"font"])
    [preferences setFontName: first size: [second floatValue]];
  else if ([verb isEqual: @"wrap"])
    [preferences setWrapsLines: [first boolValue]];
  else if ([verb isEqual: @"tabs"])
    [preferences setTabWidth: [first integerValue]];
  else if ([verb isEqual: @"colour"])
    [preferences setColour: [second componentsSeparatedByString: @","] named: first];
  else if ([verb isEqual: @"open"])
    [preferences addRecentFile: first atDate: [NSDate dateWithTimeIntervalSinceReferenceDate: [second doubleValue]]];
  else if ([verb isEqual: @"mode"])
    [preferences setMode: second forExtension: first];
  else if ([verb isEqual: @"frame"])
    [preferences setWindowFrame: NSRectFromString(first)];
  else if ([verb isEqual: @"revert"])
    [preferences revert];
  [preferences show];
  [[NSUserDefaults standardUserDefaults] synchronize];
  [pool release];
  return 0;
}
