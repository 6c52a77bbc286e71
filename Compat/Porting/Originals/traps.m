/* traps: what a program in Objective-C prints where a careless translation prints something else.

     traps right -Columns 132     prints one line for each trap
     traps otherwise              prints lines that GNUstep 1.28 prints otherwise than its port, as it was decided

   Compat/Porting/Ports/Traps.swift prints the same lines under `right`, and under `careless` those of the careless
   translation. */

#import <Foundation/Foundation.h>
#include <stdio.h>
#include <string.h>

static void right(NSUserDefaults *defaults)
{
  NSMutableDictionary *outer = [NSMutableDictionary dictionary], *inner = [NSMutableDictionary dictionary];
  NSNumber *number;

  [defaults setDouble: 0.1 forKey: @"Ratio"];
  [defaults setFloat: 12 forKey: @"Points"];
  [defaults setBool: YES forKey: @"On"];
  [defaults setInteger: 1 forKey: @"One"];
  [defaults setObject: [NSNumber numberWithLongLong: 4294967297LL] forKey: @"Long"];
  [defaults setObject: @"3" forKey: @"Three"];

  printf("a number from the command line: %d\n", [[defaults objectForKey: @"Columns"] intValue]);
  printf("a number as a float: %g\n", [[defaults objectForKey: @"Ratio"] floatValue]);
  printf("a float in print: %g\n", [defaults floatForKey: @"Points"]);
  printf("a truth value as text: %s\n", [[[defaults objectForKey: @"On"] stringValue] UTF8String]);
  number = [defaults objectForKey: @"One"];
  printf("the kind of 1: %s\n", strcmp([number objCType], @encode(BOOL)) == 0 ? "a truth value" : "a number");
  printf("a long number's intValue: %d\n", [[defaults objectForKey: @"Long"] intValue]);
  printf("text and number: %s\n",
    [[defaults objectForKey: @"Three"] isEqual: [NSNumber numberWithInt: 3]] ? "equal" : "different");
  printf("a number's stringForKey: %s\n", [[defaults stringForKey: @"One"] UTF8String]);

  /* The dictionary inside is changed after it was put in. */
  [outer setObject: inner forKey: @"Inner"];
  [inner setObject: @"late" forKey: @"Key"];
  [defaults setObject: outer forKey: @"Outer"];
  printf("a change inside: %d\n", (int)[[[defaults dictionaryForKey: @"Outer"] objectForKey: @"Inner"] count]);
}

static void otherwise(NSUserDefaults *defaults)
{
  NSUserDefaults *other;

  [defaults setFloat: 0.1 forKey: @"Ratio"];
  printf("a float as a double: %.9g\n", [defaults doubleForKey: @"Ratio"]);
  [defaults setObject: @"text" forKey: @"Key"];
  [defaults synchronize];
  other = [[[NSUserDefaults alloc] init] autorelease];
  [other setSearchList: [NSArray arrayWithObject: @"traps"]];
  printf("an object of init: %s\n", [other objectForKey: @"Key"] != nil ? "finds" : "does not find");
  printf("URLs: %s\n", [defaults respondsToSelector: @selector(URLForKey:)] ? "yes" : "no");
}

int main(int argc, char **argv)
{
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  NSUserDefaults *defaults = [NSUserDefaults standardUserDefaults];

  if (strcmp(argv[1], "otherwise") == 0)
    otherwise(defaults);
  else
    right(defaults);
  [pool release];
  return 0;
}
