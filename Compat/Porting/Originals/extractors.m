/* extractors: a game's settings, read with a default value and within bounds, however they were written.

     extractors show            prints the settings
     extractors set KEY VALUE   sets one as a property list in text: 5, "text", (1, 2), { a = b; }
     extractors number KEY N    sets one as a number
     extractors real KEY N      sets one as a floating-point number
     extractors truth KEY T     sets one as a truth value

   The pattern of Oolite: categories on NSUserDefaults, NSDictionary and NSArray over one function for each type,
   which takes an id; strings such as "on" and "no" are truth values; a wrong value gives the default value. */

#import <Foundation/Foundation.h>
#include <stdio.h>

static BOOL truth(id object, BOOL otherwise)
{
  if ([object isKindOfClass: [NSString class]])
    {
      NSString *text = [object lowercaseString];

      if ([text isEqual: @"yes"] || [text isEqual: @"true"] || [text isEqual: @"on"] || [text doubleValue] != 0)
        return YES;
      if ([text isEqual: @"no"] || [text isEqual: @"false"] || [text isEqual: @"off"] || [text isEqual: @"0"])
        return NO;
      return otherwise;
    }
  return [object respondsToSelector: @selector(boolValue)] ? [object boolValue] : otherwise;
}

static long long integer(id object, long long minimum, long long maximum, long long otherwise)
{
  long long value;

  if (![object respondsToSelector: @selector(longLongValue)])
    return otherwise;
  value = [object longLongValue];
  if (value == 0 && [object isKindOfClass: [NSString class]] && ![object hasPrefix: @"0"])
    return otherwise;
  return value < minimum ? minimum : value > maximum ? maximum : value;
}

static double real(id object, double otherwise)
{
  double value;

  if (![object respondsToSelector: @selector(doubleValue)])
    return otherwise;
  value = [object doubleValue];
  return value == 0 && [object isKindOfClass: [NSString class]] && ![object hasPrefix: @"0"] ? otherwise : value;
}

@interface NSDictionary (Extractors)
- (long long) byteForKey: (NSString *)key defaultValue: (int)value;
- (NSString *) textForKey: (NSString *)key defaultValue: (NSString *)value;
@end

@implementation NSDictionary (Extractors)

- (long long) byteForKey: (NSString *)key defaultValue: (int)value
{
  return integer([self objectForKey: key], 0, 255, value);
}

- (NSString *) textForKey: (NSString *)key defaultValue: (NSString *)value
{
  id object = [self objectForKey: key];

  if ([object isKindOfClass: [NSString class]])
    return object;
  return [object respondsToSelector: @selector(stringValue)] ? [object stringValue] : value;
}

@end

@interface NSUserDefaults (Extractors)
- (BOOL) boolForKey: (NSString *)key defaultValue: (BOOL)value;
- (int) intForKey: (NSString *)key defaultValue: (int)value;
- (double) doubleForKey: (NSString *)key defaultValue: (double)value;
- (NSArray *) arrayForKey: (NSString *)key defaultValue: (NSArray *)value;
@end

@implementation NSUserDefaults (Extractors)

- (BOOL) boolForKey: (NSString *)key defaultValue: (BOOL)value
{
  return truth([self objectForKey: key], value);
}

- (int) intForKey: (NSString *)key defaultValue: (int)value
{
  return integer([self objectForKey: key], -2147483648LL, 2147483647LL, value);
}

- (double) doubleForKey: (NSString *)key defaultValue: (double)value
{
  return real([self objectForKey: key], value);
}

- (NSArray *) arrayForKey: (NSString *)key defaultValue: (NSArray *)value
{
  id object = [self objectForKey: key];

  return [object isKindOfClass: [NSArray class]] ? object : value;
}

@end

static void show(NSUserDefaults *defaults)
{
  NSEnumerator *enumerator = [[defaults arrayForKey: @"Axes" defaultValue: nil] objectEnumerator];
  NSDictionary *axis;

  printf("fullscreen %d, width %d, height %d, volume %.3g, field of view %.6g\n",
    [defaults boolForKey: @"Fullscreen" defaultValue: YES], [defaults intForKey: @"Width" defaultValue: 640],
    [defaults intForKey: @"Height" defaultValue: 480], [defaults doubleForKey: @"Volume" defaultValue: 0.5],
    [defaults doubleForKey: @"View" defaultValue: 57.2]);
  while ((axis = [enumerator nextObject]) != nil)
    printf("axis %s: stick %lld, dead zone %lld\n", [[axis textForKey: @"name" defaultValue: @"?"] UTF8String],
      [axis byteForKey: @"stick" defaultValue: 1], [axis byteForKey: @"zone" defaultValue: 16]);
}

int main(int argc, char **argv)
{
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  NSArray *arguments = [[NSProcessInfo processInfo] arguments];
  NSUserDefaults *defaults = [NSUserDefaults standardUserDefaults];
  NSString *verb = [arguments objectAtIndex: 1];
  NSString *key = [arguments count] > 3 ? [arguments objectAtIndex: 2] : nil;
  NSString *text = [arguments count] > 3 ? [arguments objectAtIndex: 3] : nil;

  if ([verb isEqual: @"set"])
    [defaults setObject: [text propertyList] forKey: key];
  else if ([verb isEqual: @"number"])
    [defaults setInteger: [text integerValue] forKey: key];
  else if ([verb isEqual: @"real"])
    [defaults setDouble: [text doubleValue] forKey: key];
  else if ([verb isEqual: @"truth"])
    [defaults setBool: [text boolValue] forKey: key];
  show(defaults);
  [defaults synchronize];
  [pool release];
  return 0;
}
