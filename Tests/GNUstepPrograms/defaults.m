/* Uses GNUstep's NSUserDefaults as programs do; the application's domain has the program's name.

     dump DOMAIN         prints a persistent domain in the tagged JSON notation, or the word "none"
     race PREFIX COUNT   sets so many keys, each followed by a synchronize
     hold                takes the lock of the defaults, prints a line, and never gives it back
     serve               answers lines of standard input, each with a line:
                           get KEY     the value in the tagged JSON notation, or the word "none"
                           set KEY TEXT   sets a string, prints "ok"
                           sync        synchronizes, prints "ok" or "failed"  */

#import "tagged.h"

static void answer(id value)
{
  if (value == nil)
    printf("none");
  else
    put(value);
  printf("\n");
  fflush(stdout);
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

      if ([verb isEqual: @"get"])
        answer([defaults objectForKey: [words objectAtIndex: 1]]);
      else if ([verb isEqual: @"set"])
        {
          [defaults setObject: [words objectAtIndex: 2] forKey: [words objectAtIndex: 1]];
          printf("ok\n");
          fflush(stdout);
        }
      else
        {
          printf([defaults synchronize] ? "ok\n" : "failed\n");
          fflush(stdout);
        }
      [pool release];
    }
}

static void hold(void)
{
  /* Where the defaults lie is in the environment that the tests make. */
  NSString *folder = [[[NSProcessInfo processInfo] environment] objectForKey: @"DEFAULTS_FOLDER"];
  NSDistributedLock *lock
    = [NSDistributedLock lockWithPath: [folder stringByAppendingPathComponent: @".lck/.GNUstepDefaults.lck"]];

  printf([lock tryLock] ? "locked\n" : "failed\n");
  fflush(stdout);
  [NSThread sleepForTimeInterval: 600];
}

int main(int argc, char **argv)
{
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  NSUserDefaults *defaults = [NSUserDefaults standardUserDefaults];
  NSString *verb = [NSString stringWithUTF8String: argc > 1 ? argv[1] : "serve"];

  if ([verb isEqual: @"dump"])
    answer([defaults persistentDomainForName: [NSString stringWithUTF8String: argv[2]]]);
  else if ([verb isEqual: @"race"])
    {
      int i;

      for (i = 0; i < atoi(argv[3]); i++)
        {
          NSString *key = [NSString stringWithFormat: @"%s-%d", argv[2], i];
          [defaults setInteger: i forKey: key];
          [defaults synchronize];
        }
    }
  else if ([verb isEqual: @"hold"])
    hold();
  else
    serve(defaults);
  [pool release];
  return 0;
}
