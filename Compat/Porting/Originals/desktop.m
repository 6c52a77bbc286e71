/* desktop: settings in files of the program's own, and in a domain that is no program's.

     desktop show                 prints both
     desktop file KEY TEXT        sets a value in the file
     desktop number KEY NUMBER    sets a number there
     desktop global KEY TEXT      sets a value in the domain
     desktop … -Folder PATH       names the folder of the file

   The pattern of NEXTSPACE's OSEDefaults: a dictionary that is read from a file and written to it as a whole,
   with the getters of NSUserDefaults and -1 for a missing number; truth values as YES and NO; a notification of
   its own. */

#import <Foundation/Foundation.h>
#include <stdio.h>

static NSString *const FileDidChange = @"FileDidChange";

@interface FileDefaults : NSObject
{
  NSMutableDictionary *values;
  NSString *path;
  BOOL isChanged;
}
- (id) initWithPath: (NSString *)aPath;
- (NSInteger) integerForKey: (NSString *)key;
- (BOOL) boolForKey: (NSString *)key;
- (NSString *) stringForKey: (NSString *)key;
- (void) setObject: (id)value forKey: (NSString *)key;
- (BOOL) synchronize;
@end

@implementation FileDefaults

- (id) initWithPath: (NSString *)aPath
{
  if ((self = [super init]) != nil)
    {
      path = [aPath copy];
      values = [[NSMutableDictionary alloc] initWithContentsOfFile: path];
      if (values == nil)
        values = [NSMutableDictionary new];
    }
  return self;
}

- (void) dealloc
{
  [path release];
  [values release];
  [super dealloc];
}

- (id) scalarForKey: (NSString *)key
{
  id value = [values objectForKey: key];

  return [value isKindOfClass: [NSString class]] || [value isKindOfClass: [NSNumber class]] ? value : nil;
}

- (NSInteger) integerForKey: (NSString *)key
{
  id value = [self scalarForKey: key];

  return value == nil ? -1 : [value integerValue];
}

- (BOOL) boolForKey: (NSString *)key
{
  return [[self scalarForKey: key] boolValue];
}

- (NSString *) stringForKey: (NSString *)key
{
  id value = [values objectForKey: key];

  return [value isKindOfClass: [NSString class]] ? value : nil;
}

- (void) setObject: (id)value forKey: (NSString *)key
{
  [values setObject: value forKey: key];
  isChanged = YES;
}

- (BOOL) synchronize
{
  if (!isChanged)
    return YES;
  if (![values writeToFile: path atomically: YES])
    return NO;
  isChanged = NO;
  [[NSNotificationCenter defaultCenter] postNotificationName: FileDidChange object: self];
  return YES;
}

@end

@interface Watcher : NSObject
- (void) changed: (NSNotification *)notification;
@end

@implementation Watcher

- (void) changed: (NSNotification *)notification
{
  printf("written, speed %d\n", (int)[[notification object] integerForKey: @"Speed"]);
}

@end

int main(int argc, char **argv)
{
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  NSArray *arguments = [[NSProcessInfo processInfo] arguments];
  NSUserDefaults *defaults = [NSUserDefaults standardUserDefaults];
  NSString *verb = [arguments objectAtIndex: 1];
  NSString *folder = [defaults stringForKey: @"Folder"];
  FileDefaults *file = [[[FileDefaults alloc]
    initWithPath: [folder stringByAppendingPathComponent: @"Desktop"]] autorelease];
  Watcher *watcher = [[Watcher new] autorelease];
  NSMutableDictionary *global = [NSMutableDictionary dictionary];
  NSEnumerator *enumerator;
  NSString *key;

  [[NSNotificationCenter defaultCenter] addObserver: watcher selector: @selector(changed:)
                                               name: FileDidChange object: file];
  [global addEntriesFromDictionary: [defaults persistentDomainForName: @"NXGlobalDomain"]];
  if ([verb isEqual: @"file"])
    [file setObject: [arguments objectAtIndex: 3] forKey: [arguments objectAtIndex: 2]];
  else if ([verb isEqual: @"number"])
    [file setObject: [NSNumber numberWithInteger: [[arguments objectAtIndex: 3] integerValue]]
             forKey: [arguments objectAtIndex: 2]];
  else if ([verb isEqual: @"global"])
    {
      [global setObject: [arguments objectAtIndex: 3] forKey: [arguments objectAtIndex: 2]];
      [defaults setPersistentDomain: global forName: @"NXGlobalDomain"];
    }
  printf("file: speed %d, hides %d, name %s\n", (int)[file integerForKey: @"Speed"], [file boolForKey: @"Hides"],
    [[file stringForKey: @"Name"] UTF8String]);
  enumerator = [[[global allKeys] sortedArrayUsingSelector: @selector(compare:)] objectEnumerator];
  while ((key = [enumerator nextObject]) != nil)
    printf("global: %s = %s\n", [key UTF8String], [[global objectForKey: key] UTF8String]);
  /* The domain is in no search list. */
  printf("found: %s\n", [[defaults stringForKey: @"Speed"] UTF8String]);
  printf("%d %d\n", [file synchronize], [defaults synchronize]);
  [[NSNotificationCenter defaultCenter] removeObserver: watcher];
  [pool release];
  return 0;
}
