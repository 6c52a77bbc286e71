#import <Foundation/Foundation.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

/* Objects of the program that are let go of with the values to which they belong: the -dealloc of one uses the defaults. */

static int ended;

@interface Ending : NSObject
@end

@implementation Ending

- (void) dealloc
{
  NSUserDefaults *defaults = [NSUserDefaults standardUserDefaults];

  [defaults objectForKey: @"Columns"];
  [defaults dictionaryRepresentation];
  [defaults setObject: @"x" forKey: @"Ended"];
  ended++;
  [super dealloc];
}

@end

/* A text of the program's own class. */
@interface Text : NSString
{
  unichar character;
}
@end

@implementation Text

- (id) initWithCharacter: (unichar)first
{
  if ((self = [super init]) != nil)
    character = first;
  return self;
}

- (NSUInteger) length
{
  return 1;
}

- (unichar) characterAtIndex: (NSUInteger)index
{
  (void)index;
  return character;
}

- (id) copyWithZone: (NSZone *)zone
{
  (void)zone;
  return [self retain];
}

- (void) dealloc
{
  ended++;
  [super dealloc];
}

@end

/* The same as a key, which looks another one up whenever it is asked, and at its end. */
@interface Key : Text
@end

@implementation Key

- (NSUInteger) hash
{
  [[NSUserDefaults standardUserDefaults] objectForKey: @"Columns"];
  return [super hash];
}

- (void) dealloc
{
  [[NSUserDefaults standardUserDefaults] objectForKey: @"Columns"];
  [super dealloc];
}

@end

/* A key that one thread sets while another one asks for it. */
@interface Asking : NSObject
{
@public
  NSString *key;
  volatile BOOL isOver, hasEnded;
}
@end

@implementation Asking

- (void) ask: (id)unused
{
  (void)unused;
  while (!isOver)
    {
      NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];

      [[NSUserDefaults standardUserDefaults] objectForKey: key];
      [pool release];
    }
  hasEnded = YES;
}

@end

int main(void)
{
  NSAutoreleasePool *all = [[NSAutoreleasePool alloc] init], *pool;
  NSUserDefaults *defaults = [NSUserDefaults standardUserDefaults];
  Asking *asking = [[Asking alloc] init];
  int round, look, exact = 0;

  /* A program that waits for itself would wait for ever. */
  alarm(600);
  for (round = 0; round < 3; round++)
    {
      id object;

      pool = [[NSAutoreleasePool alloc] init];
      object = [[Ending alloc] init];
      [defaults setVolatileDomain: [NSDictionary dictionaryWithObject: object forKey: @"Object"] forName: @"V"];
      [object release];
      if (round > 0)
        [defaults setSearchList: [[defaults searchList] arrayByAddingObject: @"V"]];
      [defaults dictionaryRepresentation];
      [pool release];
      pool = [[NSAutoreleasePool alloc] init];
      [defaults removeVolatileDomainForName: @"V"];
      [defaults dictionaryRepresentation];
      [pool release];
    }
  printf("objects of volatile domains\t%d\n", ended);

  ended = 0;
  for (round = 0; round < 100; round++)
    {
      NSString *key;
      Text *text;

      pool = [[NSAutoreleasePool alloc] init];
      key = [NSString stringWithFormat: @"document %d", round];
      text = [[Text alloc] initWithCharacter: 'a' + round % 26];
      [defaults setObject: text forKey: key];
      [text release];
      [defaults removeObjectForKey: key];
      [pool release];
    }
  printf("texts of removed keys\t%d\n", ended);

  ended = 0;
  for (round = 0; round < 26; round++)
    {
      Key *key;

      pool = [[NSAutoreleasePool alloc] init];
      key = [[Key alloc] initWithCharacter: 'a' + round];
      [defaults setObject: @"value" forKey: key];
      [defaults objectForKey: key];
      [defaults removeObjectForKey: key];
      [key release];
      [pool release];
    }
  printf("keys\t%d\n", ended);

  /* A date that was set keeps its fraction, which its text does not have. */
  asking->key = @"asked";
  [NSThread detachNewThreadSelector: @selector(ask:) toTarget: asking withObject: nil];
  for (round = 0; round < 1000; round++)
    {
      NSDate *date;
      BOOL isExact = YES;

      pool = [[NSAutoreleasePool alloc] init];
      date = [NSDate dateWithTimeIntervalSinceReferenceDate: round + 0.625];
      [defaults setObject: date forKey: @"asked"];
      /* The thread that asks may still be at the date before. */
      for (look = 0; look < 20; look++)
        isExact = isExact && [[defaults objectForKey: @"asked"] isEqual: date];
      exact += isExact;
      /* Some are set while the key has no value. */
      if (round % 2 == 0)
        [defaults removeObjectForKey: @"asked"];
      [pool release];
    }
  asking->isOver = YES;
  while (!asking->hasEnded)
    sched_yield();
  printf("dates that are exact\t%d\n", exact);
  [all release];
  return 0;
}
