/* notes: keeps short notes in the user's defaults.

     notes add TEXT      adds a note, and forgets the oldest beyond the limit
     notes list          prints the notes
     notes frame X Y     remembers where the window stood
     notes show          prints every setting
     notes forget        removes all that was set  */

#import <Foundation/Foundation.h>
#include <stdio.h>

@interface Notebook : NSObject
{
  NSUserDefaults *defaults;
  int changes;
}
- (void) defaultsChanged: (NSNotification *)notification;
- (int) run: (NSArray *)arguments;
@end

@implementation Notebook

- (id) init
{
  if ((self = [super init]) != nil)
    {
      defaults = [[NSUserDefaults standardUserDefaults] retain];
      [defaults registerDefaults: [NSDictionary dictionaryWithObjectsAndKeys:
        @"Notes", @"Title", @"3", @"Limit", @"NO", @"Newest first", @"12.5", @"Font size", nil]];
      [[NSNotificationCenter defaultCenter] addObserver: self
                                               selector: @selector(defaultsChanged:)
                                                   name: NSUserDefaultsDidChangeNotification
                                                 object: defaults];
    }
  return self;
}

- (void) dealloc
{
  [[NSNotificationCenter defaultCenter] removeObserver: self];
  [defaults release];
  [super dealloc];
}

- (void) defaultsChanged: (NSNotification *)notification
{
  changes++;
}

- (void) add: (NSString *)text
{
  NSMutableArray *notes = [NSMutableArray arrayWithArray: [defaults stringArrayForKey: @"Texts"]];
  int limit = [defaults integerForKey: @"Limit"];

  [notes addObject: text];
  while ((int)[notes count] > limit)
    [notes removeObjectAtIndex: 0];
  [defaults setObject: notes forKey: @"Texts"];
  [defaults setInteger: [defaults integerForKey: @"Added"] + 1 forKey: @"Added"];
}

- (void) list
{
  NSArray *notes = [defaults stringArrayForKey: @"Texts"];
  NSEnumerator *enumerator;
  NSString *text;

  enumerator = [defaults boolForKey: @"Newest first"] ? [notes reverseObjectEnumerator] : [notes objectEnumerator];
  printf("%s, at %g points:\n", [[defaults stringForKey: @"Title"] UTF8String], [defaults floatForKey: @"Font size"]);
  while ((text = [enumerator nextObject]) != nil)
    printf("- %s\n", [text UTF8String]);
}

- (void) frameX: (NSString *)x y: (NSString *)y
{
  NSDictionary *frame = [NSDictionary dictionaryWithObjectsAndKeys: x, @"X", y, @"Y", nil];

  [defaults setObject: frame forKey: @"Frame"];
  NS_DURING
    [defaults setObject: self forKey: @"Window"];
  NS_HANDLER
    printf("refused: %s\n", [[localException name] UTF8String]);
  NS_ENDHANDLER
}

- (void) show
{
  NSDictionary *own = [defaults persistentDomainForName: @"notes"];
  NSDictionary *frame = [defaults dictionaryForKey: @"Frame"];
  NSEnumerator *enumerator
    = [[[own allKeys] sortedArrayUsingSelector: @selector(compare:)] objectEnumerator];
  NSString *key;

  while ((key = [enumerator nextObject]) != nil)
    printf("%s is set\n", [key UTF8String]);
  printf("%d added\n", (int)[defaults integerForKey: @"Added"]);
  if (frame != nil)
    printf("the window stood at %s, %s\n", [[frame objectForKey: @"X"] UTF8String],
      [[frame objectForKey: @"Y"] UTF8String]);
  printf("registered: %d\n", (int)[[defaults volatileDomainForName: NSRegistrationDomain] count]);
}

- (int) run: (NSArray *)arguments
{
  NSString *verb = [arguments count] > 1 ? [arguments objectAtIndex: 1] : @"list";

  if ([verb isEqual: @"add"] && [arguments count] > 2)
    [self add: [arguments objectAtIndex: 2]];
  else if ([verb isEqual: @"frame"] && [arguments count] > 3)
    [self frameX: [arguments objectAtIndex: 2] y: [arguments objectAtIndex: 3]];
  else if ([verb isEqual: @"forget"])
    [defaults removePersistentDomainForName: @"notes"];
  else if ([verb isEqual: @"show"])
    [self show];
  else
    [self list];
  printf("%d changes\n", changes);
  return [defaults synchronize] ? 0 : 1;
}

@end

int main(int argc, char **argv)
{
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  Notebook *notebook = [[Notebook new] autorelease];
  int status = [notebook run: [[NSProcessInfo processInfo] arguments]];

  [pool release];
  return status;
}
