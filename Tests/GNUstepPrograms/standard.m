/* Sets and reads values of every kind by the standard object, and prints what it answers, a line for each:

     standard play     sets values, prints them, and what the object says of its domains
     standard exact    sets values that need all their digits
     standard read     prints whether what the last run of `exact` has set is read back equal, a date to its whole
                       second, which is all that GNUstep's files have

   It prints no class and no address, so that two implementations can print the same. */

#import "tagged.h"
#include <math.h>

static NSUserDefaults *defaults;

static void show(NSString *what, id value)
{
  printf("%s\t", [what UTF8String]);
  if (value == nil)
    printf("nil");
  else
    put(value);
  printf("\n");
}

/* Everything that the object says of a key. */
static void showAll(NSString *key)
{
  printf("%s\t%s|%s|", [key UTF8String], [[[defaults objectForKey: key] description] UTF8String],
         [[defaults stringForKey: key] UTF8String]);
  printf("%d %ld %.9g %.17g|", [defaults boolForKey: key], (long)[defaults integerForKey: key],
         [defaults floatForKey: key], [defaults doubleForKey: key]);
  printf("%lu %lu %lu %lu|", (unsigned long)[[defaults arrayForKey: key] count],
         (unsigned long)[[defaults stringArrayForKey: key] count],
         (unsigned long)[[defaults dictionaryForKey: key] count], (unsigned long)[[defaults dataForKey: key] length]);
  put([defaults objectForKey: key] == nil ? @"nothing" : [defaults valueForKey: key]);
  printf("\n");
}

static void set(NSString *key, id value)
{
  @try
    {
      [defaults setObject: value forKey: key];
    }
  @catch (NSException *exception)
    {
      printf("refused\t%s %s\n", [[exception name] UTF8String], [[exception reason] UTF8String]);
    }
  showAll(key);
  if (value != nil && [key length] > 0)
    printf("equal\t%d %d\n", [value isEqual: [defaults objectForKey: key]],
           [defaults objectForKey: key] == [defaults objectForKey: key]);
}

static NSString *everyCharacter(void)
{
  NSMutableString *text = [NSMutableString string];
  unichar unit;

  for (unit = 1; unit < 0xD800; unit += unit < 0x300 ? 1 : 97)
    [text appendFormat: @"%C", unit];
  [text appendString: @"\U0001F600\U0010FFFD"];
  return text;
}

static NSArray *exactValues(void)
{
  return [NSArray arrayWithObjects:
    [NSNumber numberWithDouble: 0.1 + 0.2], [NSNumber numberWithDouble: 1.0 / 3.0],
    [NSNumber numberWithDouble: 5e-324], [NSNumber numberWithDouble: 1.7976931348623157e308],
    [NSNumber numberWithDouble: 1234567890123456.7], [NSNumber numberWithFloat: 16777215.0f],
    [NSNumber numberWithLongLong: -9223372036854775807LL - 1], [NSNumber numberWithLongLong: 9223372036854775807LL],
    [NSNumber numberWithUnsignedLongLong: 18446744073709551615ULL], [NSNumber numberWithBool: YES],
    [NSNumber numberWithBool: NO], [NSNumber numberWithInt: 1], everyCharacter(), @"", @" a \n\"b\"\\",
    [NSData data], [NSData dataWithBytes: "\0\1\377>" length: 4],
    [NSDate dateWithTimeIntervalSinceReferenceDate: 0.0], [NSDate dateWithTimeIntervalSinceReferenceDate: 0.25],
    [NSDate dateWithTimeIntervalSinceReferenceDate: -0.1],
    [NSDate dateWithTimeIntervalSinceReferenceDate: -978307200.3],
    [NSDate dateWithTimeIntervalSinceReferenceDate: 781234567.123456],
    [NSDate dateWithTimeIntervalSinceReferenceDate: -31622400.5], [NSDate distantFuture],
    [NSDictionary dictionaryWithObject: [NSArray arrayWithObjects: [NSArray array], [NSDictionary dictionary],
      [NSDate dateWithTimeIntervalSinceReferenceDate: 1e9], [NSNumber numberWithFloat: 0.5f], nil]
                                forKey: @"a b"], nil];
}

/* A value as a file of GNUstep's holds it. */
static id inWholeSeconds(id value)
{
  if (![value isKindOfClass: [NSDate class]])
    return value;
  return [NSDate dateWithTimeIntervalSinceReferenceDate: floor([value timeIntervalSinceReferenceDate])];
}

static void play(void)
{
  NSDictionary *registered, *values = [NSDictionary dictionaryWithObject: @"v" forKey: @"k"];
  NSMutableString *mutable = [NSMutableString stringWithString: @"before"];
  NSEnumerator *enumerator;
  NSUInteger index;
  NSArray *texts = [NSArray arrayWithObjects: @"YES", @"no", @"true", @"1x", @" 12", @"-3.5", @"0x10", @"1e3", @"", nil];

  enumerator = [exactValues() objectEnumerator];
  for (index = 0; index < [exactValues() count]; index++)
    set([NSString stringWithFormat: @"Value%lu", (unsigned long)index], [enumerator nextObject]);
  for (index = 0; index < [texts count]; index++)
    set(@"Text", [texts objectAtIndex: index]);
  set(@"Strings", texts);
  set(@"Mixed", [NSArray arrayWithObjects: @"a", [NSNumber numberWithInt: 5], nil]);
  set(@"Float", [NSNumber numberWithFloat: 0.1f]);
  set(@"Fractions", [NSArray arrayWithObjects: [NSDate dateWithTimeIntervalSinceReferenceDate: 1e9 + 1.0 / 3],
    [NSNumber numberWithFloat: 0.1f], nil]);
  set(@"Char", [NSNumber numberWithChar: 'x']);
  set(@"", @"empty key");
  set(@"Null", [NSNull null]);
  set(@"Nested", [NSArray arrayWithObject: [NSSet set]]);
  set(@"URL", [NSURL URLWithString: @"http://example.org"]);
  set(@"Keyed", [NSDictionary dictionaryWithObject: @"v" forKey: @"ä=;"]);
  set(@"Text", nil);
  show(@"nil key", [defaults objectForKey: nil]);
  [defaults removeObjectForKey: @"absent"];

  [defaults setObject: mutable forKey: @"Mutable"];
  [mutable setString: @"after"];
  show(@"a copy", [defaults objectForKey: @"Mutable"]);
  [defaults setBool: YES forKey: @"Bool"];
  showAll(@"Bool");
  [defaults setInteger: -5 forKey: @"Integer"];
  showAll(@"Integer");
  [defaults setFloat: 2.7f forKey: @"Real"];
  showAll(@"Real");
  [defaults setDouble: 2.7 forKey: @"Real"];
  showAll(@"Real");
  [defaults setValue: @"by value" forKey: @"Valued"];
  showAll(@"Valued");

  registered = [NSDictionary dictionaryWithObjectsAndKeys: @"r", @"Registered", @"hidden", @"Valued",
    [NSURL URLWithString: @"http://example.org/a"], @"Address", [NSNull null], @"Nothing",
    [NSDate dateWithTimeIntervalSinceReferenceDate: 0.25], @"When", [NSNumber numberWithFloat: 0.1f], @"Much", nil];
  [defaults registerDefaults: registered];
  showAll(@"Registered");
  showAll(@"Valued");
  showAll(@"When");
  showAll(@"Much");
  printf("address\t%s\n", [[[defaults objectForKey: @"Address"] description] UTF8String]);
  printf("null\t%d\n", [defaults objectForKey: @"Nothing"] == [NSNull null]);
  printf("representation\t%s %d\n",
         [[[defaults dictionaryRepresentation] objectForKey: @"Registered"] UTF8String],
         [[defaults dictionaryRepresentation] objectForKey: @"Nothing"] == [NSNull null]);
  [defaults registerDefaults: [NSDictionary dictionaryWithObject: @"text" forKey: @"Address"]];
  showAll(@"Address");

  [defaults setVolatileDomain: registered forName: @"Volatile"];
  printf("volatile\t%lu\n", (unsigned long)[[defaults volatileDomainForName: @"Volatile"] count]);
  @try { [defaults setVolatileDomain: values forName: @"Volatile"]; }
  @catch (NSException *exception) { show(@"refused", [exception reason]); }
  @try { [defaults setPersistentDomain: values forName: @"Volatile"]; }
  @catch (NSException *exception) { show(@"refused", [exception reason]); }
  [defaults removeVolatileDomainForName: @"Volatile"];
  show(@"removed", [defaults volatileDomainForName: @"Volatile"]);
  [defaults setPersistentDomain: values forName: @"Other Domain"];
  show(@"persistent", [defaults persistentDomainForName: @"Other Domain"]);
  @try { [defaults setVolatileDomain: values forName: @"Other Domain"]; }
  @catch (NSException *exception) { show(@"refused", [exception reason]); }
  @try { [defaults addSuiteNamed: nil]; }
  @catch (NSException *exception) { show(@"refused", [exception reason]); }
  [defaults addSuiteNamed: @"Other Domain"];
  show(@"by suite", [defaults objectForKey: @"k"]);
  [defaults removeSuiteNamed: @"Other Domain"];
  show(@"without suite", [defaults objectForKey: @"k"]);
  show(@"unknown domain", [defaults persistentDomainForName: @"unknown"]);
  show(@"names", [[defaults persistentDomainNames] sortedArrayUsingSelector: @selector(compare:)]);
  show(@"volatile names", [[defaults volatileDomainNames] sortedArrayUsingSelector: @selector(compare:)]);
  show(@"months", [defaults objectForKey: NSMonthNameArray]);
  printf("language\t%lu\n", (unsigned long)[[defaults volatileDomainForName: @"English"] count]);
  printf("date\t%s\n", [[[NSDate dateWithTimeIntervalSinceReferenceDate: 0]
    descriptionWithCalendarFormat: @"%A %B %c" timeZone: [NSTimeZone timeZoneForSecondsFromGMT: 0]
    locale: [defaults dictionaryRepresentation]] UTF8String]);
  printf("configuration\t%d\n", [[defaults volatileDomainForName: GSConfigDomain] count] > 0);
  printf("is\t%d\n", [defaults isKindOfClass: [NSUserDefaults class]]);
  printf("same\t%d\n", defaults == [NSUserDefaults standardUserDefaults]);
}

int main(int argc, char **argv)
{
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  NSArray *values = exactValues();
  NSUInteger index;

  defaults = [NSUserDefaults standardUserDefaults];
  if (argc > 1 && argv[1][0] == 'p')
    play();
  for (index = 0; argc > 1 && argv[1][0] != 'p' && index < [values count]; index++)
    {
      NSString *key = [NSString stringWithFormat: @"Value%lu", (unsigned long)index];

      if (argv[1][0] == 'e')
        [defaults setObject: [values objectAtIndex: index] forKey: key];
      else
        printf("%lu\t%d\n", (unsigned long)index,
               [inWholeSeconds([values objectAtIndex: index]) isEqual: [defaults objectForKey: key]]);
    }
  [defaults synchronize];
  [pool release];
  return 0;
}
