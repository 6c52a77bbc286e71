#import "Preferences.h"

@implementation Preferences

+ (void) registerDefaults
{
  [[NSUserDefaults standardUserDefaults] registerDefaults:
    [NSDictionary dictionaryWithObjectsAndKeys:
      [NSNumber numberWithInt: 80], @"Columns", [NSNumber numberWithInt: 3], @"RecentDocuments", nil]];
}

+ (NSInteger) columns
{
  return [[NSUserDefaults standardUserDefaults] integerForKey: @"Columns"];
}

+ (void) setColumns: (NSInteger)columns
{
  [[NSUserDefaults standardUserDefaults] setInteger: columns forKey: @"Columns"];
}

+ (void) setRecentDocuments: (NSInteger)count
{
  [[NSUserDefaults standardUserDefaults] setInteger: count forKey: @"RecentDocuments"];
}

/// What all parts of the program have stored.
+ (NSString *) summary
{
  NSUserDefaults *defaults = [NSUserDefaults standardUserDefaults];

  return [NSString stringWithFormat: @"%@; %@", [defaults stringForKey: @"NSWindow Frame Main"],
    [[defaults stringArrayForKey: @"NSRecentDocuments"] componentsJoinedByString: @", "]];
}

@end
