/* Uses the standard defaults before main() begins, and shows GNUstep's flags, which it keeps outside of the object:

     early begin      prints what the calls before main() found, and that their changes hold
     early leave      sets a value and ends without a synchronize
     early flags      sets GSLogThread and logs lines, which have the thread's number as long as it is YES

   The lines of NSLog go to the standard error. */

#import <Foundation/Foundation.h>
#include <stdio.h>
#include <string.h>

void construct(void);

static char found[3][64];

static void remember(int index, NSString *value)
{
  snprintf(found[index], sizeof found[index], "%s", value == nil ? "nothing" : [value UTF8String]);
}

/* Called by the constructor in construct.c. */
void construct(void)
{
  NSAutoreleasePool *pool = [NSAutoreleasePool new];

  NSLog(@"before main");
  remember(0, [[NSUserDefaults standardUserDefaults] stringForKey: @"Known"]);
  [[NSUserDefaults standardUserDefaults] setObject: @"by the constructor" forKey: @"Constructed"];
  [pool release];
}

@interface Early : NSObject
@end

@implementation Early
+ (void) load
{
  NSAutoreleasePool *pool = [NSAutoreleasePool new];

  remember(1, [[NSUserDefaults standardUserDefaults] stringForKey: @"Known"]);
  [[NSUserDefaults standardUserDefaults]
    registerDefaults: [NSDictionary dictionaryWithObject: @"at load" forKey: @"Registered"]];
  [[NSUserDefaults standardUserDefaults] setInteger: 7 forKey: @"Loaded"];
  [pool release];
}

+ (void) initialize
{
  remember(2, [[NSUserDefaults standardUserDefaults] stringForKey: @"Known"]);
}
@end

int main(int argc, char **argv)
{
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  NSUserDefaults *defaults = [NSUserDefaults standardUserDefaults];
  int index;

  [[[Early alloc] init] release];
  if (argc > 1 && strcmp(argv[1], "begin") == 0)
    {
      for (index = 0; index < 3; index++)
        printf("found\t%s\n", found[index]);
      printf("constructed\t%s\n", [[defaults stringForKey: @"Constructed"] UTF8String]);
      printf("loaded\t%ld\n", (long)[defaults integerForKey: @"Loaded"]);
      printf("registered\t%s\n", [[defaults stringForKey: @"Registered"] UTF8String]);
      printf("same\t%d\n", defaults == [NSUserDefaults standardUserDefaults]);
    }
  if (argc > 1 && strcmp(argv[1], "leave") == 0)
    {
      [defaults synchronize];
      [defaults setObject: @"changed" forKey: @"Known"];
      [pool release];
      return 0;
    }
  if (argc > 1 && strcmp(argv[1], "flags") == 0)
    {
      NSLog(@"one");
      [defaults setBool: YES forKey: @"GSLogThread"];
      NSLog(@"two");
      [defaults setObject: @"NO" forKey: @"GSLogThread"];
      NSLog(@"three");
      [defaults registerDefaults: [NSDictionary dictionaryWithObject: @"YES" forKey: @"GSLogThread"]];
      NSLog(@"four");
      [defaults removeObjectForKey: @"GSLogThread"];
      NSLog(@"five");
      [defaults setVolatileDomain: [NSDictionary dictionaryWithObject: @"NO" forKey: @"GSLogThread"]
                          forName: @"Quiet"];
      NSLog(@"six");
      [defaults setSearchList: [[NSArray arrayWithObject: @"Quiet"]
                                 arrayByAddingObjectsFromArray: [defaults searchList]]];
      NSLog(@"seven");
    }
  [defaults synchronize];
  [pool release];
  return 0;
}
