/* dock: the icons of a dock, in a domain of its own, over a domain that all programs of a family share.

     dock list                    prints the icons
     dock add NAME COMMAND X Y    adds an icon
     dock remove NAME             removes it
     dock lock NAME               marks it, in the dictionary inside the array inside the dictionary
     dock share KEY TEXT          sets a value of the family's domain
     dock set KEY TEXT            sets one of the dock's own, which counts before it
     dock forget KEY              removes that again

   The pattern of Window Maker's WINGs: an object with a search list of its own, which holds the program's domain
   and the family's; all values are text ("Yes", "5", "0,4"), read with sscanf; containers are rebuilt for a
   change. */

#import <Foundation/Foundation.h>
#include <stdio.h>
#include <string.h>

static NSString *const Family = @"FAMILY";

static BOOL truth(NSUserDefaults *defaults, NSString *key)
{
  const char *text = [[defaults stringForKey: key] UTF8String];
  int number;

  if (text == NULL)
    return NO;
  if (sscanf(text, "%i", &number) == 1)
    return number != 0;
  return strchr("YyTt", *text) != NULL;
}

static int number(NSUserDefaults *defaults, NSString *key)
{
  const char *text = [[defaults stringForKey: key] UTF8String];
  int value;

  return text != NULL && sscanf(text, "%i", &value) == 1 ? value : 0;
}

static NSArray *icons(NSUserDefaults *defaults)
{
  NSArray *icons = [[defaults dictionaryForKey: @"Dock"] objectForKey: @"Applications"];

  return icons != nil ? icons : [NSArray array];
}

static void setIcons(NSUserDefaults *defaults, NSArray *icons)
{
  NSMutableDictionary *dock = [NSMutableDictionary dictionaryWithDictionary: [defaults dictionaryForKey: @"Dock"]];

  [dock setObject: icons forKey: @"Applications"];
  [defaults setObject: dock forKey: @"Dock"];
}

static void list(NSUserDefaults *defaults)
{
  NSEnumerator *enumerator = [icons(defaults) objectEnumerator];
  NSDictionary *icon;

  while ((icon = [enumerator nextObject]) != nil)
    {
      int x = 0, y = 0;

      sscanf([[icon objectForKey: @"Position"] UTF8String], "%i,%i", &x, &y);
      printf("%s at %d, %d runs %s%s\n", [[icon objectForKey: @"Name"] UTF8String], x, y,
        [[icon objectForKey: @"Command"] UTF8String],
        [[icon objectForKey: @"Lock"] isEqual: @"Yes"] ? ", locked" : "");
    }
  printf("icons of %d points%s\n", number(defaults, @"IconSize"), truth(defaults, @"Lowered") ? ", lowered" : "");
}

int main(int argc, char **argv)
{
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  NSArray *arguments = [[NSProcessInfo processInfo] arguments];
  NSUserDefaults *defaults = [[NSUserDefaults alloc] init];
  NSString *verb = [arguments objectAtIndex: 1];
  NSString *name = [arguments count] > 2 ? [arguments objectAtIndex: 2] : nil;
  NSMutableArray *changed;
  unsigned i;

  [defaults setSearchList: [NSArray arrayWithObjects: @"dock", Family, nil]];
  /* An object that is not the shared one has not read its domains yet. */
  [defaults synchronize];
  changed = [NSMutableArray arrayWithArray: icons(defaults)];
  if ([verb isEqual: @"add"])
    {
      [changed addObject: [NSDictionary dictionaryWithObjectsAndKeys: name, @"Name",
        [arguments objectAtIndex: 3], @"Command", @"No", @"Lock",
        [NSString stringWithFormat: @"%@,%@", [arguments objectAtIndex: 4], [arguments objectAtIndex: 5]],
        @"Position", nil]];
      setIcons(defaults, changed);
    }
  else if ([verb isEqual: @"remove"] || [verb isEqual: @"lock"])
    {
      for (i = [changed count]; i > 0; i--)
        if ([[[changed objectAtIndex: i - 1] objectForKey: @"Name"] isEqual: name])
          {
            NSMutableDictionary *icon = [[[changed objectAtIndex: i - 1] mutableCopy] autorelease];

            [icon setObject: @"Yes" forKey: @"Lock"];
            if ([verb isEqual: @"lock"])
              [changed replaceObjectAtIndex: i - 1 withObject: icon];
            else
              [changed removeObjectAtIndex: i - 1];
          }
      setIcons(defaults, changed);
    }
  else if ([verb isEqual: @"share"])
    {
      NSMutableDictionary *family = [NSMutableDictionary dictionary];

      [family addEntriesFromDictionary: [defaults persistentDomainForName: Family]];
      [family setObject: [arguments objectAtIndex: 3] forKey: name];
      [defaults setPersistentDomain: family forName: Family];
    }
  else if ([verb isEqual: @"forget"])
    [defaults removeObjectForKey: name];
  else if ([verb isEqual: @"set"])
    [defaults setObject: [arguments objectAtIndex: 3] forKey: name];
  list(defaults);
  [defaults synchronize];
  [defaults release];
  [pool release];
  return 0;
}
