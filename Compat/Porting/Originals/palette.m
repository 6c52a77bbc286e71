/* palette: colours and documents of a user's profile, and colours that several programs share.

     palette show                       prints everything
     palette colour NAME R G B          keeps a colour, as data of three bytes
     palette share NAME R G B           keeps one for all programs
     palette opened PATH SECONDS        remembers a document, and forgets all but the last three
     palette close                      forgets the profile's documents
     palette … -Profile NAME            names the profile

   The pattern of editors: a subclass that keeps everything under the profile's name and so overrides the three
   methods through which all others go; data, dates, arrays of dictionaries, a suite. */

#import <Foundation/Foundation.h>
#include <stdio.h>

@interface ProfileDefaults : NSUserDefaults
{
  NSString *profile;
}
- (void) setProfile: (NSString *)aProfile;
@end

@implementation ProfileDefaults

- (void) setProfile: (NSString *)aProfile
{
  profile = [aProfile copy];
}

- (void) dealloc
{
  [profile release];
  [super dealloc];
}

- (NSString *) keyFor: (NSString *)key
{
  return profile == nil ? key : [NSString stringWithFormat: @"%@ %@", profile, key];
}

- (id) objectForKey: (NSString *)key
{
  id value = [super objectForKey: [self keyFor: key]];

  return value != nil ? value : [super objectForKey: key];
}

- (void) setObject: (id)value forKey: (NSString *)key
{
  [super setObject: value forKey: [self keyFor: key]];
}

- (void) removeObjectForKey: (NSString *)key
{
  [super removeObjectForKey: [self keyFor: key]];
}

@end

static NSData *colour(NSArray *arguments)
{
  unsigned char bytes[3];
  int i;

  for (i = 0; i < 3; i++)
    bytes[i] = [[arguments objectAtIndex: 3 + i] intValue];
  return [NSData dataWithBytes: bytes length: sizeof bytes];
}

static void show(NSUserDefaults *defaults)
{
  NSArray *names = [NSArray arrayWithObjects: @"Ink", @"Paper", @"Frame", nil];
  NSEnumerator *enumerator = [names objectEnumerator];
  NSDictionary *document;
  NSString *name;

  while ((name = [enumerator nextObject]) != nil)
    {
      const unsigned char *bytes = [[defaults dataForKey: name] bytes];

      if (bytes != NULL)
        printf("%s is %d, %d, %d\n", [name UTF8String], bytes[0], bytes[1], bytes[2]);
    }
  enumerator = [[defaults arrayForKey: @"Documents"] objectEnumerator];
  while ((document = [enumerator nextObject]) != nil)
    printf("%s was opened at %.0f, %d times\n", [[document objectForKey: @"Path"] UTF8String],
      [[document objectForKey: @"Date"] timeIntervalSinceReferenceDate],
      [[document objectForKey: @"Times"] intValue]);
  printf("%d opened in all%s\n", (int)[defaults integerForKey: @"Opened"],
    [defaults boolForKey: @"Busy"] ? ", busy" : "");
}

int main(int argc, char **argv)
{
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  NSArray *arguments = [[NSProcessInfo processInfo] arguments];
  NSUserDefaults *standard = [NSUserDefaults standardUserDefaults];
  ProfileDefaults *defaults = [[ProfileDefaults alloc] init];
  NSString *verb = [arguments objectAtIndex: 1];

  [defaults setSearchList: [standard searchList]];
  [defaults synchronize];
  [defaults addSuiteNamed: @"Shared Palette"];
  [defaults setProfile: [standard stringForKey: @"Profile"]];
  [defaults registerDefaults: [NSDictionary dictionaryWithObject: [NSData dataWithBytes: "\0\0\0" length: 3]
                                                          forKey: @"Ink"]];
  if ([verb isEqual: @"colour"])
    [defaults setObject: colour(arguments) forKey: [arguments objectAtIndex: 2]];
  else if ([verb isEqual: @"share"])
    {
      NSMutableDictionary *shared = [NSMutableDictionary dictionary];

      [shared addEntriesFromDictionary: [defaults persistentDomainForName: @"Shared Palette"]];
      [shared setObject: colour(arguments) forKey: [arguments objectAtIndex: 2]];
      [defaults setPersistentDomain: shared forName: @"Shared Palette"];
    }
  else if ([verb isEqual: @"opened"])
    {
      NSMutableArray *documents = [NSMutableArray arrayWithArray: [defaults arrayForKey: @"Documents"]];
      NSDate *date = [NSDate dateWithTimeIntervalSinceReferenceDate: [[arguments objectAtIndex: 3] doubleValue]];

      [defaults setInteger: [defaults integerForKey: @"Opened"] + 1 forKey: @"Opened"];
      [documents addObject: [NSDictionary dictionaryWithObjectsAndKeys: [arguments objectAtIndex: 2], @"Path",
        date, @"Date", [NSNumber numberWithInteger: [defaults integerForKey: @"Opened"]], @"Times", nil]];
      while ([documents count] > 3)
        [documents removeObjectAtIndex: 0];
      [defaults setObject: documents forKey: @"Documents"];
      [defaults setBool: [documents count] == 3 forKey: @"Busy"];
    }
  else if ([verb isEqual: @"close"])
    [defaults removeObjectForKey: @"Documents"];
  show(defaults);
  [defaults synchronize];
  [defaults release];
  [pool release];
  return 0;
}
