/* terminal: the preferences of a terminal, from the user's defaults or from a session's file.

     terminal show                        prints what holds
     terminal size COLUMNS LINES POINTS   sets the size of windows and letters
     terminal cursor R G B BLINKS         sets the cursor's colour and whether it blinks
     terminal service NAME COMMAND INPUT  adds a service
     terminal save FILE                   writes a session
     terminal open FILE                   prints what holds in a session

   The pattern of GNUstep's Terminal: one class over two stores, both of which answer objectForKey:, and
   values that are strings or numbers, whoever wrote them; missing ones are replaced where they are read. */

#import <Foundation/Foundation.h>
#include <stdio.h>

@interface Preferences : NSObject
{
  id store;
}
- (id) initWithStore: (id)aStore;
- (float) floatForKey: (NSString *)key;
- (int) integerForKey: (NSString *)key;
- (BOOL) boolForKey: (NSString *)key;
- (void) setBool: (BOOL)value forKey: (NSString *)key;
- (void) setInteger: (int)value forKey: (NSString *)key;
- (void) show;
@end

@implementation Preferences

- (id) initWithStore: (id)aStore
{
  if ((self = [super init]) != nil)
    store = [aStore retain];
  return self;
}

- (void) dealloc
{
  [store release];
  [super dealloc];
}

- (id) scalarForKey: (NSString *)key
{
  id value = [store objectForKey: key];

  return [value isKindOfClass: [NSString class]] || [value isKindOfClass: [NSNumber class]] ? value : nil;
}

- (float) floatForKey: (NSString *)key
{
  id value = [self scalarForKey: key];

  return value == nil ? 0 : [value floatValue];
}

- (int) integerForKey: (NSString *)key
{
  id value = [self scalarForKey: key];

  return value == nil ? -1 : (int)[value integerValue];
}

- (BOOL) boolForKey: (NSString *)key
{
  return [[self scalarForKey: key] boolValue];
}

- (void) setBool: (BOOL)value forKey: (NSString *)key
{
  [store setObject: value ? @"YES" : @"NO" forKey: key];
}

- (void) setInteger: (int)value forKey: (NSString *)key
{
  [store setObject: [NSNumber numberWithInteger: value] forKey: key];
}

- (void) show
{
  NSDictionary *services = [store objectForKey: @"Services"];
  NSEnumerator *enumerator
    = [[[services allKeys] sortedArrayUsingSelector: @selector(compare:)] objectEnumerator];
  float points = [self floatForKey: @"Points"] == 0 ? 12 : [self floatForKey: @"Points"];
  float red = 1, green = 1, blue = 1;
  NSString *colour = [store objectForKey: @"CursorColour"], *name;

  printf("%d columns, ", [self integerForKey: @"Columns"] <= 0 ? 80 : [self integerForKey: @"Columns"]);
  printf("%d lines, ", [self integerForKey: @"Lines"] <= 0 ? 25 : [self integerForKey: @"Lines"]);
  printf("letters of %g points\n", points);
  if (colour != nil)
    sscanf([colour UTF8String], "%f %f %f", &red, &green, &blue);
  printf("cursor %.2f %.2f %.2f%s\n", red, green, blue, [self boolForKey: @"CursorBlinks"] ? ", blinking" : "");
  while ((name = [enumerator nextObject]) != nil)
    {
      NSDictionary *service = [services objectForKey: name];

      printf("service %s: %s, input %d\n", [name UTF8String], [[service objectForKey: @"Command"] UTF8String],
        [[service objectForKey: @"Input"] intValue]);
    }
}

@end

int main(int argc, char **argv)
{
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  NSArray *arguments = [[NSProcessInfo processInfo] arguments];
  NSUserDefaults *defaults = [NSUserDefaults standardUserDefaults];
  NSString *verb = [arguments objectAtIndex: 1];
  id store = defaults;
  Preferences *preferences;

  if ([verb isEqual: @"open"])
    store = [NSMutableDictionary dictionaryWithContentsOfFile: [arguments objectAtIndex: 2]];
  preferences = [[[Preferences alloc] initWithStore: store] autorelease];
  if ([verb isEqual: @"size"])
    {
      [preferences setInteger: [[arguments objectAtIndex: 2] intValue] forKey: @"Columns"];
      [preferences setInteger: [[arguments objectAtIndex: 3] intValue] forKey: @"Lines"];
      [defaults setFloat: [[arguments objectAtIndex: 4] floatValue] forKey: @"Points"];
    }
  else if ([verb isEqual: @"cursor"])
    {
      NSString *colour = [NSString stringWithFormat: @"%f %f %f", [[arguments objectAtIndex: 2] floatValue],
        [[arguments objectAtIndex: 3] floatValue], [[arguments objectAtIndex: 4] floatValue]];

      [defaults setObject: colour forKey: @"CursorColour"];
      [preferences setBool: [[arguments objectAtIndex: 5] boolValue] forKey: @"CursorBlinks"];
    }
  else if ([verb isEqual: @"service"])
    {
      NSMutableDictionary *services = [[[defaults dictionaryForKey: @"Services"] mutableCopy] autorelease];

      if (services == nil)
        services = [NSMutableDictionary dictionary];
      [services setObject: [NSDictionary dictionaryWithObjectsAndKeys: [arguments objectAtIndex: 3], @"Command",
                                         [arguments objectAtIndex: 4], @"Input", nil]
                   forKey: [arguments objectAtIndex: 2]];
      [defaults setObject: services forKey: @"Services"];
    }
  else if ([verb isEqual: @"save"])
    printf("%s\n", [[defaults persistentDomainForName: @"terminal"] writeToFile: [arguments objectAtIndex: 2]
                                                                     atomically: YES] ? "written" : "not written");
  [preferences show];
  [defaults synchronize];
  [pool release];
  return 0;
}
