/* Shares the standard defaults with a Swift part, Tests/CPrograms/Part.swift, in one process. */

#import <Foundation/Foundation.h>
#include <stdio.h>

extern void part_set(const char *key, long value);
extern void part_set_in_thread(const char *key, long value);
extern long part_get(const char *key);
extern long part_count(void);

@interface Counter : NSObject
{
@public
  int count;
  id object;
}
- (void) changed: (NSNotification *)notification;
@end

@implementation Counter
- (void) changed: (NSNotification *)notification
{
  count++;
  object = [notification object];
}
@end

int main(void)
{
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  NSUserDefaults *defaults = [NSUserDefaults standardUserDefaults];
  Counter *counter = [[Counter new] autorelease];

  [[NSNotificationCenter defaultCenter] addObserver: counter
                                           selector: @selector(changed:)
                                               name: NSUserDefaultsDidChangeNotification
                                             object: nil];
  part_count();
  part_set("Count", 5);
  printf("Swift's value\t%ld %d\n", (long)[defaults integerForKey: @"Count"], counter->count);
  printf("with the object\t%d\n", counter->object == defaults);
  [defaults setInteger: 6 forKey: @"Count"];
  printf("Objective-C's value\t%ld %ld %d\n", part_get("Count"), part_count(), counter->count);
  part_set_in_thread("Count", 7);
  printf("a thread's value\t%ld %d\n", (long)[defaults integerForKey: @"Count"], counter->count);
  [defaults registerDefaults: [NSDictionary dictionaryWithObject: @"8" forKey: @"Registered"]];
  printf("registered\t%ld\n", part_get("Registered"));
  [defaults setVolatileDomain: [NSDictionary dictionaryWithObject: @"9" forKey: @"Volatile"] forName: @"Volatile"];
  [defaults setSearchList: [[defaults searchList] arrayByAddingObject: @"Volatile"]];
  printf("volatile\t%ld\n", part_get("Volatile"));
  part_set("GSLogThread", 1);
  NSLog(@"with the thread's number");
  part_set("GSLogThread", 0);
  NSLog(@"without it");
  printf("representation\t%s\n", [[[[defaults dictionaryRepresentation] objectForKey: @"Count"] description] UTF8String]);
  printf("saved\t%d\n", [defaults synchronize]);
  [pool release];
  return 0;
}
