/* pane: a panel that shows and changes settings that all programs share.

     pane show                  prints all entries
     pane set NAME TEXT         changes one as its editor does, and prints all
     pane revert NAME           takes the change back, and prints all
     pane … -Entries FILE       names the file of the entries

   The pattern of SystemPreferences: entries with their default values stand in a file; the global domain is
   copied, changed and set as a whole; values are compared by isEqual: and shown by their kind. */

#import <Foundation/Foundation.h>
#include <stdio.h>

enum { StringEditor, TruthEditor, NumberEditor, ArrayEditor, ChoiceEditor };

static NSString *shown(NSDictionary *entry, id value)
{
  if (value == nil)
    return @"-";
  switch ([[entry objectForKey: @"editor"] intValue])
    {
      case TruthEditor: return [value boolValue] ? @"yes" : @"no";
      case NumberEditor: return [value isKindOfClass: [NSString class]] ? value : [value stringValue];
      case ArrayEditor: return [value componentsJoinedByString: @"|"];
      default: return value;
    }
}

/* What the editor makes of a text; nil for a text that it refuses. */
static id edited(NSDictionary *entry, NSString *text)
{
  switch ([[entry objectForKey: @"editor"] intValue])
    {
      case TruthEditor:
        return [NSNumber numberWithBool: [text boolValue]];
      case NumberEditor:
        if ([text intValue] < [[entry objectForKey: @"minimum"] intValue])
          return nil;
        if ([text rangeOfString: @"."].length > 0)
          return [NSNumber numberWithDouble: [text doubleValue]];
        return [NSNumber numberWithInt: [text intValue]];
      case ArrayEditor:
        return [text componentsSeparatedByString: @","];
      case ChoiceEditor:
        return [[entry objectForKey: @"values"] containsObject: text] ? text : nil;
      default:
        return text;
    }
}

static void update(NSUserDefaults *defaults, NSDictionary *entry, id value)
{
  NSString *name = [entry objectForKey: @"name"];
  NSMutableDictionary *domain;

  [defaults synchronize];
  domain = [[defaults persistentDomainForName: NSGlobalDomain] mutableCopy];
  if (value != nil && ![value isEqual: [entry objectForKey: @"default"]])
    [domain setObject: value forKey: name];
  else
    [domain removeObjectForKey: name];
  [defaults setPersistentDomain: domain forName: NSGlobalDomain];
  [defaults synchronize];
  [domain release];
}

int main(int argc, char **argv)
{
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  NSArray *arguments = [[NSProcessInfo processInfo] arguments];
  NSUserDefaults *defaults = [NSUserDefaults standardUserDefaults];
  NSString *verb = [arguments objectAtIndex: 1];
  NSEnumerator *enumerator
    = [[NSArray arrayWithContentsOfFile: [defaults stringForKey: @"Entries"]] objectEnumerator];
  NSDictionary *entry;

  while ((entry = [enumerator nextObject]) != nil)
    {
      NSString *name = [entry objectForKey: @"name"];
      id value;

      if ([verb isEqual: @"set"] && [name isEqual: [arguments objectAtIndex: 2]])
        {
          if ((value = edited(entry, [arguments objectAtIndex: 3])) == nil)
            printf("%s is refused\n", [[arguments objectAtIndex: 3] UTF8String]);
          else
            update(defaults, entry, value);
        }
      if ([verb isEqual: @"revert"] && [name isEqual: [arguments objectAtIndex: 2]])
        update(defaults, entry, nil);
      value = [[defaults persistentDomainForName: NSGlobalDomain] objectForKey: name];
      printf("%s: %s, by default %s\n", [name UTF8String], [shown(entry, value) UTF8String],
        [shown(entry, [entry objectForKey: @"default"]) UTF8String]);
    }
  [pool release];
  return 0;
}
