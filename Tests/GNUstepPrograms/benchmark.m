/* Measures GNUstep's NSUserDefaults and its property lists for the benchmark. Every time is printed in nanoseconds.

     version                prints the version of the base library, and no time
     first KEYS             opens the standard defaults and reads the keys of a file, one a line
     serve                  answers lines of standard input, each with a line:
       keys FILE              takes the keys of a file, one a line, and forgets all defaults
       ask FILE               takes the keys of a file to ask for, and keeps the defaults
       strings TEXT           sets a string for each of the keys
       integers NUMBER        sets a number for each of the keys
       load FILE              keeps a file's bytes, and the property list that they hold
       time WORK COUNT        does the work so often for all keys (or once, where it needs none) and prints the time:
                                integer, object, set; setread, sync (of one key); parse, write  */

#import <Foundation/Foundation.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
  struct timespec time;

  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e9 + time.tv_nsec;
}

/* Where results go, so that no compiler leaves the work out. */
static volatile long sink;

/* The strings that are asked for are others than those that are stored, for each side of the benchmark. */
static NSString **asked;
static NSUInteger keyCount;
static NSData *bytes;
static id tree;

static NSArray *keysOfFile(NSString *path)
{
  NSString *text = [NSString stringWithContentsOfFile: path encoding: NSUTF8StringEncoding error: NULL];

  return [[text stringByTrimmingCharactersInSet: [NSCharacterSet newlineCharacterSet]]
    componentsSeparatedByString: @"\n"];
}

static void takeKeys(NSString *path)
{
  NSArray *keys = [keysOfFile(path) retain];
  NSUInteger i;

  for (i = 0; i < keyCount; i++)
    [asked[i] release];
  keyCount = [keys count];
  asked = realloc(asked, keyCount * sizeof *asked);
  for (i = 0; i < keyCount; i++)
    asked[i] = [[keys objectAtIndex: i] retain];
  [keys release];
}

static void setAll(NSUserDefaults *defaults, id value)
{
  NSUInteger i;

  for (i = 0; i < keyCount; i++)
    [defaults setObject: value forKey: [NSString stringWithUTF8String: [asked[i] UTF8String]]];
}

static double measure(NSUserDefaults *defaults, NSString *work, long count)
{
  static long counter;
  double start = now();
  long sum = 0;
  long pass;
  NSUInteger i;

  for (pass = 0; pass < count; pass++)
    {
      NSAutoreleasePool *pool = [NSAutoreleasePool new];

      if ([work isEqual: @"integer"])
        for (i = 0; i < keyCount; i++)
          sum += [defaults integerForKey: asked[i]];
      else if ([work isEqual: @"object"])
        for (i = 0; i < keyCount; i++)
          sum += [defaults objectForKey: asked[i]] != nil;
      else if ([work isEqual: @"set"])
        for (i = 0; i < keyCount; i++)
          [defaults setInteger: ++counter forKey: asked[i]];
      else if ([work isEqual: @"setread"])
        {
          NSString *key = asked[++counter % keyCount];

          [defaults setInteger: counter forKey: key];
          sum += [defaults integerForKey: key];
        }
      else if ([work isEqual: @"sync"])
        {
          counter++;
          [defaults setInteger: counter forKey: asked[counter % keyCount]];
          sum += [defaults synchronize];
        }
      else if ([work isEqual: @"parse"])
        sum += [[NSPropertyListSerialization propertyListWithData: bytes
                                                          options: NSPropertyListImmutable
                                                           format: NULL
                                                            error: NULL] count];
      else if ([work isEqual: @"write"])
        sum += [[NSPropertyListSerialization dataFromPropertyList: tree
                                                           format: NSPropertyListOpenStepFormat
                                                 errorDescription: NULL] length];
      [pool release];
    }
  sink = sum;
  return now() - start;
}

static void serve(NSUserDefaults *defaults)
{
  char line[4096];

  while (fgets(line, sizeof line, stdin) != NULL)
    {
      NSAutoreleasePool *pool = [NSAutoreleasePool new];
      NSString *text = [[NSString stringWithUTF8String: line]
        stringByTrimmingCharactersInSet: [NSCharacterSet newlineCharacterSet]];
      NSArray *words = [text componentsSeparatedByString: @" "];
      NSString *verb = [words objectAtIndex: 0];
      NSString *word = [words objectAtIndex: 1];
      double result = 0;

      if ([verb isEqual: @"keys"])
        {
          [defaults removePersistentDomainForName: [[NSProcessInfo processInfo] processName]];
          takeKeys(word);
        }
      else if ([verb isEqual: @"ask"])
        takeKeys(word);
      else if ([verb isEqual: @"strings"])
        setAll(defaults, word);
      else if ([verb isEqual: @"integers"])
        setAll(defaults, [NSNumber numberWithInt: [word intValue]]);
      else if ([verb isEqual: @"load"])
        {
          [bytes release];
          [tree release];
          bytes = [[NSData alloc] initWithContentsOfFile: word];
          tree = [[NSPropertyListSerialization propertyListWithData: bytes
                                                            options: NSPropertyListImmutable
                                                             format: NULL
                                                              error: NULL] retain];
          if (tree == nil)
            printf("not a property list: ");
        }
      else
        result = measure(defaults, word, [[words objectAtIndex: 2] intValue]);
      printf("%.0f\n", result);
      fflush(stdout);
      [pool release];
    }
}

static void readFirst(NSString *path)
{
  NSArray *keys = keysOfFile(path);
  NSUInteger count = [keys count];
  NSUInteger found = 0;
  NSUInteger i;
  double start = now();
  NSUserDefaults *defaults = [NSUserDefaults standardUserDefaults];
  double end;

  for (i = 0; i < count; i++)
    found += [defaults objectForKey: [keys objectAtIndex: i]] != nil;
  end = now();
  if (found == count)
    printf("%.0f\n", end - start);
  else
    printf("found %lu of %lu\n", (unsigned long)found, (unsigned long)count);
}

/* The text of a macro's value. */
#define TEXT_OF(macro) TEXT_OF_VALUE(macro)
#define TEXT_OF_VALUE(value) #value

int main(int argc, char **argv)
{
  NSAutoreleasePool *pool = [NSAutoreleasePool new];

  if (argc > 2)
    readFirst([NSString stringWithUTF8String: argv[2]]);
  else if (argc > 1 && strcmp(argv[1], "version") == 0)
    printf("%s", TEXT_OF(GNUSTEP_BASE_VERSION));
  else
    serve([NSUserDefaults standardUserDefaults]);
  [pool release];
  return 0;
}
