#import <Foundation/Foundation.h>
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

int main(void)
{
  NSAutoreleasePool *all = [[NSAutoreleasePool alloc] init], *pool;
  NSUserDefaults *defaults = [NSUserDefaults standardUserDefaults];
  int round;

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
  [all release];
  return 0;
}
