/* command: a process of a family, whose settings are under its own prefix or are the family's.

     command show               prints the settings
     command set KEY TEXT       sets one under the key as it is
     command override KEY TEXT  puts a value in front for this process, prints, and takes it back
     command remove KEY         removes one, prefixed if there is a prefixed one
     command … -Prefix P        names the prefix

   The pattern of libs-ec: a proxy (NSProxy) that looks for a key with a prefix first and passes everything else
   on; two volatile domains at the front of the search list; a category on NSUserDefaults that changes them. */

#import <Foundation/Foundation.h>
#include <stdio.h>

@interface NSUserDefaults (Overrides)
- (NSDictionary *) overrides;
- (void) setOverride: (id)value forKey: (NSString *)key;
@end

@implementation NSUserDefaults (Overrides)

- (NSDictionary *) overrides
{
  return [self volatileDomainForName: @"Overrides"];
}

- (void) setOverride: (id)value forKey: (NSString *)key
{
  NSMutableDictionary *overrides = [[[self overrides] mutableCopy] autorelease];

  if (overrides == nil)
    overrides = [NSMutableDictionary dictionary];
  if (value == nil)
    [overrides removeObjectForKey: key];
  else
    [overrides setObject: value forKey: key];
  /* A volatile domain is not replaced: it is removed before it is set. */
  [self removeVolatileDomainForName: @"Overrides"];
  if ([overrides count] > 0)
    [self setVolatileDomain: overrides forName: @"Overrides"];
}

@end

@interface PrefixedDefaults : NSProxy
{
  NSUserDefaults *target;
  NSString *prefix;
}
- (id) initWithTarget: (NSUserDefaults *)aTarget prefix: (NSString *)aPrefix;
@end

@implementation PrefixedDefaults

- (id) initWithTarget: (NSUserDefaults *)aTarget prefix: (NSString *)aPrefix
{
  NSMutableArray *list = [[[aTarget searchList] mutableCopy] autorelease];

  target = [aTarget retain];
  prefix = [aPrefix copy];
  [list removeObject: @"Overrides"];
  [list removeObject: @"Configuration"];
  [list insertObject: @"Overrides" atIndex: 0];
  [list insertObject: @"Configuration" atIndex: 1];
  [target setSearchList: list];
  return self;
}

- (void) dealloc
{
  [target release];
  [prefix release];
  [super dealloc];
}

- (NSString *) keyFor: (NSString *)key
{
  NSString *prefixed = prefix == nil ? key : [prefix stringByAppendingString: key];

  return [target objectForKey: prefixed] != nil ? prefixed : key;
}

- (id) objectForKey: (NSString *)key
{
  return [target objectForKey: [self keyFor: key]];
}

- (NSString *) stringForKey: (NSString *)key
{
  return [target stringForKey: [self keyFor: key]];
}

- (NSInteger) integerForKey: (NSString *)key
{
  return [target integerForKey: [self keyFor: key]];
}

- (BOOL) boolForKey: (NSString *)key
{
  return [target boolForKey: [self keyFor: key]];
}

- (void) removeObjectForKey: (NSString *)key
{
  [target removeObjectForKey: [self keyFor: key]];
}

- (NSMethodSignature *) methodSignatureForSelector: (SEL)selector
{
  return [target methodSignatureForSelector: selector];
}

- (void) forwardInvocation: (NSInvocation *)invocation
{
  [invocation invokeWithTarget: target];
}

@end

static void show(NSUserDefaults *defaults)
{
  printf("host %s, port %d, %s\n", [[defaults stringForKey: @"Host"] UTF8String],
    (int)[defaults integerForKey: @"Port"], [defaults boolForKey: @"Verbose"] ? "verbose" : "quiet");
}

int main(int argc, char **argv)
{
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  NSArray *arguments = [[NSProcessInfo processInfo] arguments];
  NSUserDefaults *standard = [NSUserDefaults standardUserDefaults];
  NSUserDefaults *defaults = (NSUserDefaults *)[[[PrefixedDefaults alloc]
    initWithTarget: standard prefix: [standard stringForKey: @"Prefix"]] autorelease];
  NSString *verb = [arguments objectAtIndex: 1];

  [defaults registerDefaults: [NSDictionary dictionaryWithObjectsAndKeys:
    @"localhost", @"Host", @"80", @"Port", @"NO", @"Verbose", nil]];
  [standard setVolatileDomain: [NSDictionary dictionaryWithObject: [NSNumber numberWithInt: 8080]
                                                           forKey: @"WebPort"]
                      forName: @"Configuration"];
  if ([verb isEqual: @"set"])
    [defaults setObject: [arguments objectAtIndex: 3] forKey: [arguments objectAtIndex: 2]];
  else if ([verb isEqual: @"remove"])
    [defaults removeObjectForKey: [arguments objectAtIndex: 2]];
  else if ([verb isEqual: @"override"])
    {
      [defaults setOverride: [arguments objectAtIndex: 3] forKey: [arguments objectAtIndex: 2]];
      show(defaults);
      [defaults setOverride: nil forKey: [arguments objectAtIndex: 2]];
      printf("%d overrides\n", (int)[[defaults overrides] count]);
    }
  show(defaults);
  printf("%s\n", [[[[defaults searchList] subarrayWithRange: NSMakeRange(0, 5)]
    componentsJoinedByString: @" "] UTF8String]);
  [defaults synchronize];
  [pool release];
  return 0;
}
