/* Plays calls of GNUstep's NSUserDefaults, one a line of standard input: a verb and its arguments, each of them as
   hexadecimal digits of UTF-8. Answers each with one line, a value in the tagged JSON notation. */

#import "tagged.h"

static NSData *bytes(NSString *digits)
{
  NSMutableData *data = [NSMutableData data];
  const char *text = [digits UTF8String];
  unsigned byte;

  for (; sscanf(text, "%2x", &byte) == 1; text += 2)
    {
      unsigned char value = byte;
      [data appendBytes: &value length: 1];
    }
  return data;
}

static NSString *string(NSString *digits)
{
  return [[[NSString alloc] initWithData: bytes(digits) encoding: NSUTF8StringEncoding] autorelease];
}

static id value(NSString *digits)
{
  return [NSPropertyListSerialization propertyListWithData: bytes(digits)
                                                   options: NSPropertyListImmutable
                                                    format: NULL
                                                     error: NULL];
}

static id all(NSUserDefaults *defaults, NSString *key)
{
  NSMutableDictionary *answers = [NSMutableDictionary dictionary];

#define ANSWER(name, expression) \
  { id answer = (expression); if (answer != nil) [answers setObject: answer forKey: name]; }
  ANSWER(@"object", [defaults objectForKey: key])
  ANSWER(@"string", [defaults stringForKey: key])
  ANSWER(@"strings", [defaults stringArrayForKey: key])
  ANSWER(@"array", [defaults arrayForKey: key])
  ANSWER(@"dictionary", [defaults dictionaryForKey: key])
  ANSWER(@"data", [defaults dataForKey: key])
  ANSWER(@"bool", [NSNumber numberWithBool: [defaults boolForKey: key]])
  ANSWER(@"integer", [NSNumber numberWithLongLong: [defaults integerForKey: key]])
  ANSWER(@"float", [NSNumber numberWithDouble: [defaults floatForKey: key]])
  ANSWER(@"double", [NSNumber numberWithDouble: [defaults doubleForKey: key]])
  return answers;
}

static id play(NSUserDefaults *defaults, NSArray *words)
{
  NSString *verb = [words objectAtIndex: 0];
  NSString *first = [words count] > 1 ? string([words objectAtIndex: 1]) : nil;
  NSString *digits = [words count] > 2 ? [words objectAtIndex: 2] : @"";

  if ([verb isEqual: @"get"])
    return all(defaults, first);
  if ([verb isEqual: @"object"])
    [defaults setObject: value(digits) forKey: first];
  else if ([verb isEqual: @"bool"])
    [defaults setBool: [string(digits) intValue] forKey: first];
  else if ([verb isEqual: @"integer"])
    [defaults setInteger: [string(digits) longLongValue] forKey: first];
  else if ([verb isEqual: @"double"])
    [defaults setDouble: strtod([string(digits) UTF8String], NULL) forKey: first];
  else if ([verb isEqual: @"float"])
    [defaults setFloat: strtof([string(digits) UTF8String], NULL) forKey: first];
  else if ([verb isEqual: @"remove"])
    [defaults removeObjectForKey: first];
  else if ([verb isEqual: @"register"])
    [defaults registerDefaults: value([words objectAtIndex: 1])];
  else if ([verb isEqual: @"add"])
    [defaults addSuiteNamed: first];
  else if ([verb isEqual: @"drop"])
    [defaults removeSuiteNamed: first];
  else if ([verb isEqual: @"replace"])
    [defaults setPersistentDomain: value(digits) forName: first];
  else if ([verb isEqual: @"erase"])
    [defaults removePersistentDomainForName: first];
  else if ([verb isEqual: @"domain"])
    return [defaults persistentDomainForName: first];
  else if ([verb isEqual: @"domains"])
    return [[defaults persistentDomainNames] sortedArrayUsingSelector: @selector(compare:)];
  else if ([verb isEqual: @"list"])
    return [defaults searchList];
  else if ([verb isEqual: @"everything"])
    return [defaults dictionaryRepresentation];
  else
    return [NSNumber numberWithBool: [defaults synchronize]];
  return @"done";
}

int main(int argc, char **argv)
{
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  NSUserDefaults *defaults = [NSUserDefaults standardUserDefaults];
  static char line[1 << 20];

  while (fgets(line, sizeof line, stdin) != NULL)
    {
      NSAutoreleasePool *inner = [NSAutoreleasePool new];
      NSString *text = [[NSString stringWithUTF8String: line]
        stringByTrimmingCharactersInSet: [NSCharacterSet newlineCharacterSet]];
      id answer = nil;

      NS_DURING
        answer = play(defaults, [text componentsSeparatedByString: @" "]);
      NS_HANDLER
        answer = [localException reason];
      NS_ENDHANDLER
      if (answer == nil)
        printf("none");
      else
        put(answer);
      printf("\n");
      fflush(stdout);
      [inner release];
    }
  [pool release];
  return 0;
}
