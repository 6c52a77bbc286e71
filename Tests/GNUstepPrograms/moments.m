/* Prints how often the notification of a change is posted at each moment, and what the class says of its lists:
   a line for each, a name and the answer, with a tab between them. Tests/Clients/GNUstep/Moments.swift is its port. */

#import <Foundation/Foundation.h>
#import <stdio.h>

@interface Counter : NSObject
{
@public
  int count;
}
- (void) changed: (NSNotification *)notification;
@end

@implementation Counter
- (void) changed: (NSNotification *)notification
{
  count++;
}
@end

static Counter *counter;

#define COUNT(moment, statement) \
  { counter->count = 0; statement; printf("%s\t%d\n", moment, counter->count); }

static void names(const char *what, NSArray *names)
{
  printf("%s\t%s\n", what, [[names componentsJoinedByString: @" "] UTF8String]);
}

int main(int argc, char **argv)
{
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  NSDictionary *values = [NSDictionary dictionaryWithObject: @"value" forKey: @"Other"];
  NSArray *languages = [NSArray arrayWithObject: @"French"];
  NSUserDefaults *defaults = nil;
  NSUserDefaults *other;
  NSArray *list;

  counter = [Counter new];
  [[NSNotificationCenter defaultCenter] addObserver: counter
                                           selector: @selector(changed:)
                                               name: NSUserDefaultsDidChangeNotification
                                             object: nil];

  COUNT("the shared object is made", defaults = [NSUserDefaults standardUserDefaults])
  COUNT("the shared object is there", defaults = [NSUserDefaults standardUserDefaults])
  names("search list", [defaults searchList]);
  COUNT("first synchronize", [defaults synchronize])
  COUNT("synchronize with nothing to do", [defaults synchronize])
  COUNT("new value", [defaults setObject: @"value" forKey: @"Key"])
  COUNT("another value", [defaults setInteger: 5 forKey: @"Number"])
  COUNT("equal value", [defaults setObject: @"value" forKey: @"Key"])
  COUNT("removed key", [defaults removeObjectForKey: @"Number"])
  COUNT("absent key", [defaults removeObjectForKey: @"Number"])
  COUNT("nil", [defaults setObject: nil forKey: @"Number"])
  COUNT("synchronize that writes", [defaults synchronize])
  COUNT("synchronize after it", [defaults synchronize])
  COUNT("registered defaults", [defaults registerDefaults: values])
  COUNT("new volatile domain", [defaults setVolatileDomain: values forName: @"Volatile"])
  COUNT("removed volatile domain", [defaults removeVolatileDomainForName: @"Volatile"])
  COUNT("absent volatile domain", [defaults removeVolatileDomainForName: @"Volatile"])
  COUNT("new suite", [defaults addSuiteNamed: @"Suite"])
  names("search list with a suite", [defaults searchList]);
  COUNT("removed suite", [defaults removeSuiteNamed: @"Suite"])
  list = [defaults searchList];
  COUNT("other search list", [defaults setSearchList: [list arrayByAddingObject: @"Listed"]])
  COUNT("equal search list", [defaults setSearchList: [defaults searchList]])
  [defaults setSearchList: list];
  COUNT("new persistent domain", [defaults setPersistentDomain: values forName: @"Persistent"])
  COUNT("equal persistent domain", [defaults setPersistentDomain: values forName: @"Persistent"])
  COUNT("removed persistent domain", [defaults removePersistentDomainForName: @"Persistent"])
  COUNT("absent persistent domain", [defaults removePersistentDomainForName: @"Persistent"])
  names("languages", [NSUserDefaults userLanguages]);
  COUNT("chosen languages", [NSUserDefaults setUserLanguages: languages])
  names("languages after the choice", [NSUserDefaults userLanguages]);
  names("the object's languages after the choice", [defaults stringArrayForKey: @"NSLanguages"]);
  names("search list after the choice", [defaults searchList]);
  COUNT("shared object made anew", [NSUserDefaults resetStandardUserDefaults])
  defaults = [NSUserDefaults standardUserDefaults];
  names("languages made anew", [NSUserDefaults userLanguages]);
  printf("registered, made anew\t%s\n", [[defaults stringForKey: @"Other"] UTF8String]);
  printf("value for key\t%s\n", [[defaults valueForKey: @"Key"] UTF8String]);
  [defaults setValue: @"set" forKey: @"Key"];
  printf("set value for key\t%s\n", [[defaults objectForKey: @"Key"] UTF8String]);
  [defaults setValue: nil forKey: @"Key"];
  printf("nil for key\t%s\n", [defaults objectForKey: @"Key"] == nil ? "none" : "still there");
  [defaults synchronize];

  other = [[[NSUserDefaults alloc] init] autorelease];
  names("search list of a new object", [other searchList]);
  COUNT("first synchronize of a new object", [other synchronize])
  COUNT("second synchronize of a new object", [other synchronize])
  COUNT("third synchronize of a new object", [other synchronize])
  other = [[[NSUserDefaults alloc] initWithUser: NSUserName()] autorelease];
  names("search list of a user's object", [other searchList]);
  names("volatile domains of a user's object",
    [[other volatileDomainNames] sortedArrayUsingSelector: @selector(compare:)]);
  [pool release];
  return 0;
}
