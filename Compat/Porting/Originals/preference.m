/* preference: one object for each setting, which knows its default value and its type.

     preference show              prints all settings
     preference set KEY TEXT      sets one, as the type that its default value has
     preference restore KEY       lets the default value count again

   The pattern of OmniFoundation's OFPreference: unique objects that remember their value and ask again after a
   change; the default value comes from the registration domain, which a file fills; a text takes the type of the
   default value. */

#import <Foundation/Foundation.h>
#include <stdio.h>
#include <string.h>

@interface Preference : NSObject
{
  NSString *key;
  id value;
}
+ (Preference *) preferenceForKey: (NSString *)key;
- (id) defaultValue;
- (id) value;
- (void) setValue: (id)aValue;
- (BOOL) isPersistent;
- (NSString *) text;
@end

static NSMutableDictionary *preferences;

@implementation Preference

+ (Preference *) preferenceForKey: (NSString *)key
{
  Preference *preference = [preferences objectForKey: key];

  if (preference == nil)
    {
      preference = [[Preference new] autorelease];
      preference->key = [key copy];
      [preferences setObject: preference forKey: key];
    }
  return preference;
}

- (void) dealloc
{
  [key release];
  [value release];
  [super dealloc];
}

- (id) defaultValue
{
  return [[[NSUserDefaults standardUserDefaults] volatileDomainForName: NSRegistrationDomain] objectForKey: key];
}

- (id) value
{
  if (value == nil)
    value = [[[NSUserDefaults standardUserDefaults] objectForKey: key] retain];
  return value;
}

- (void) setValue: (id)aValue
{
  NSUserDefaults *defaults = [NSUserDefaults standardUserDefaults];

  if (aValue != nil)
    [defaults setObject: aValue forKey: key];
  else
    [defaults removeObjectForKey: key];
  [value release];
  value = nil;
  [[NSNotificationCenter defaultCenter] postNotificationName: @"PreferenceDidChange" object: self];
}

- (BOOL) isPersistent
{
  NSUserDefaults *defaults = [NSUserDefaults standardUserDefaults];

  return [[defaults persistentDomainForName: @"preference"] objectForKey: key] != nil
    || [[defaults persistentDomainForName: NSGlobalDomain] objectForKey: key] != nil;
}

- (NSString *) text
{
  id shown = [self value];

  if ([shown isKindOfClass: [NSString class]])
    return shown;
  if ([shown isKindOfClass: [NSNumber class]])
    return [shown stringValue];
  if ([shown isKindOfClass: [NSArray class]])
    return [shown componentsJoinedByString: @", "];
  if ([shown isKindOfClass: [NSData class]])
    return [NSString stringWithFormat: @"%d bytes", (int)[shown length]];
  return [NSString stringWithFormat: @"%.0f seconds", [shown timeIntervalSinceReferenceDate]];
}

@end

/* A text as a value of the type that another value has; nil if it is none. */
static id coerced(NSString *text, id model)
{
  if ([model isKindOfClass: [NSString class]])
    return text;
  if ([model isKindOfClass: [NSNumber class]])
    {
      const char *type = [model objCType];

      if (strcmp(type, @encode(double)) == 0)
        return [NSNumber numberWithDouble: [text doubleValue]];
      if (strcmp(type, @encode(BOOL)) == 0)
        return [NSNumber numberWithBool: [text boolValue]];
      return [NSNumber numberWithLongLong: [text longLongValue]];
    }
  if ([model isKindOfClass: [NSDate class]])
    return [NSDate dateWithTimeIntervalSinceReferenceDate: [text doubleValue]];
  if ([model isKindOfClass: [NSData class]])
    return [text dataUsingEncoding: NSUTF8StringEncoding];
  return [model isKindOfClass: [NSArray class]] ? [text componentsSeparatedByString: @" "] : nil;
}

@interface Watcher : NSObject
- (void) changed: (NSNotification *)notification;
@end

@implementation Watcher

- (void) changed: (NSNotification *)notification
{
  printf("changed to %s\n", [[[notification object] text] UTF8String]);
}

@end

int main(int argc, char **argv)
{
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  NSArray *arguments = [[NSProcessInfo processInfo] arguments];
  NSUserDefaults *defaults = [NSUserDefaults standardUserDefaults];
  NSString *verb = [arguments objectAtIndex: 1];
  Watcher *watcher = [[Watcher new] autorelease];
  NSDictionary *registered = [NSDictionary dictionaryWithContentsOfFile: [defaults stringForKey: @"Registered"]];
  NSEnumerator *enumerator
    = [[[registered allKeys] sortedArrayUsingSelector: @selector(compare:)] objectEnumerator];
  NSString *key;

  preferences = [NSMutableDictionary new];
  [[NSNotificationCenter defaultCenter] addObserver: watcher selector: @selector(changed:)
                                               name: @"PreferenceDidChange" object: nil];
  [defaults registerDefaults: registered];
  while ((key = [enumerator nextObject]) != nil)
    {
      Preference *preference = [Preference preferenceForKey: key];

      if ([arguments count] > 2 && [key isEqual: [arguments objectAtIndex: 2]])
        [preference setValue:
          [verb isEqual: @"set"] ? coerced([arguments objectAtIndex: 3], [preference defaultValue]) : nil];
      printf("%s: %s%s%s\n", [key UTF8String], [[preference text] UTF8String],
        [[preference value] isEqual: [preference defaultValue]] ? ", the default" : "",
        [preference isPersistent] ? ", stored" : "");
    }
  [defaults synchronize];
  [[NSNotificationCenter defaultCenter] removeObserver: watcher];
  [preferences release];
  [pool release];
  return 0;
}
