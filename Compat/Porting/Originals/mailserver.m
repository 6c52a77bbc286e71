/* mailserver: a server that takes its configuration from a file, and defaults of its own before it.

     mailserver check             prints the configuration
     mailserver domain NAME       prints what holds for a mail domain
     mailserver set KEY NUMBER    sets a number, kept as text
     mailserver -Configuration FILE … names the file

   The pattern of SOGo: a volatile domain with the contents of files, put in front as a suite, in front of it
   the arguments again; sources of settings behind one another, any object that answers objectForKey:. */

#import <Foundation/Foundation.h>
#include <stdio.h>

@interface Source : NSObject
{
  id values;
  Source *parent;
}
- (id) initWithValues: (id)someValues parent: (Source *)aParent;
- (id) objectForKey: (NSString *)key;
- (BOOL) boolForKey: (NSString *)key;
- (int) integerForKey: (NSString *)key;
- (NSString *) stringForKey: (NSString *)key;
- (void) setInteger: (int)value forKey: (NSString *)key;
@end

@implementation Source

- (id) initWithValues: (id)someValues parent: (Source *)aParent
{
  if ((self = [super init]) != nil)
    {
      values = [someValues retain];
      parent = [aParent retain];
    }
  return self;
}

- (void) dealloc
{
  [values release];
  [parent release];
  [super dealloc];
}

- (id) objectForKey: (NSString *)key
{
  id value = [values objectForKey: key];

  return value != nil ? value : [parent objectForKey: key];
}

- (BOOL) boolForKey: (NSString *)key
{
  id value = [self objectForKey: key];

  return [value respondsToSelector: @selector(boolValue)] ? [value boolValue] : NO;
}

- (int) integerForKey: (NSString *)key
{
  id value = [self objectForKey: key];

  return [value respondsToSelector: @selector(intValue)] ? [value intValue] : 0;
}

- (NSString *) stringForKey: (NSString *)key
{
  id value = [self objectForKey: key];

  return [value isKindOfClass: [NSString class]] ? value : nil;
}

- (void) setInteger: (int)value forKey: (NSString *)key
{
  [values setObject: [NSString stringWithFormat: @"%d", value] forKey: key];
}

@end

static void prepare(NSUserDefaults *defaults)
{
  NSMutableDictionary *configuration = [NSMutableDictionary dictionary];
  NSString *file = [defaults stringForKey: @"Configuration"];

  if (file != nil)
    [configuration addEntriesFromDictionary: [NSDictionary dictionaryWithContentsOfFile: file]];
  /* The own domain leaves the list, and its values win over the file's. */
  [defaults removeSuiteNamed: @"mailserver"];
  [configuration addEntriesFromDictionary: [defaults persistentDomainForName: @"mailserver"]];
  [defaults setVolatileDomain: configuration forName: @"mailserver.runtime"];
  [defaults addSuiteNamed: @"mailserver.runtime"];
  [defaults addSuiteNamed: NSArgumentDomain];
  if ([defaults stringForKey: @"ServerName"] != nil)
    {
      [defaults setObject: [defaults stringForKey: @"ServerName"] forKey: @"Server"];
      [defaults removeObjectForKey: @"ServerName"];
    }
}

static void print(Source *source)
{
  NSEnumerator *enumerator = [[source objectForKey: @"Directories"] objectEnumerator];
  NSDictionary *directory;

  printf("server %s, module %s\n", [[source stringForKey: @"Server"] UTF8String],
    [[source stringForKey: @"Module"] UTF8String]);
  printf("refresh every %d minutes%s\n", [source integerForKey: @"Minutes"],
    [source boolForKey: @"Trusts"] ? ", trusting" : "");
  while ((directory = [enumerator nextObject]) != nil)
    printf("directory %s at port %d%s\n", [[directory objectForKey: @"id"] UTF8String],
      [[directory objectForKey: @"port"] intValue],
      [[directory objectForKey: @"writable"] boolValue] ? ", writable" : "");
}

int main(int argc, char **argv)
{
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  NSArray *arguments = [[NSProcessInfo processInfo] arguments];
  NSUserDefaults *defaults = [NSUserDefaults standardUserDefaults];
  NSString *verb = [arguments objectAtIndex: 1];
  Source *system;

  prepare(defaults);
  printf("%s\n", [[[defaults searchList] componentsJoinedByString: @" "] UTF8String]);
  system = [[[Source alloc] initWithValues: defaults parent: nil] autorelease];
  if ([verb isEqual: @"set"])
    [system setInteger: [[arguments objectAtIndex: 3] intValue] forKey: [arguments objectAtIndex: 2]];
  if ([verb isEqual: @"domain"])
    {
      NSDictionary *own = [[defaults dictionaryForKey: @"Domains"] objectForKey: [arguments objectAtIndex: 2]];

      print([[[Source alloc] initWithValues: own parent: system] autorelease]);
    }
  else
    print(system);
  printf("%s\n", [defaults synchronize] ? "saved" : "not saved");
  [pool release];
  return 0;
}
