/* Four threads of C beside four of Objective-C, one of which makes the standard object anew now and then: prints how
   many values are wrong, at once and at the end, and whether every change has been posted. */

#import <Foundation/Foundation.h>
#import "OpenStepDefaults.h"
#include <pthread.h>
#include <stdio.h>

enum { count = 500 };

static osd_defaults *handle;
static int posted, wrong;

@interface Counter : NSObject
- (void) changed: (NSNotification *)notification;
@end

@implementation Counter
- (void) changed: (NSNotification *)notification
{
  __sync_fetch_and_add(&posted, 1);
  [[notification object] integerForKey: @"C 0"];
  [[notification object] dictionaryRepresentation];
}
@end

static void *setInC(void *number)
{
  char key[16];
  int64_t value;
  int index;

  snprintf(key, sizeof key, "C %ld", (long)number);
  for (index = 1; index <= count; index++)
    {
      osd_set_integer(handle, key, index);
      if (osd_get_integer(handle, key, &value) != OSD_OK || value != index)
        __sync_fetch_and_add(&wrong, 1);
      if (index % 100 == 0)
        osd_synchronize(handle);
    }
  return NULL;
}

static void *setInObjectiveC(void *number)
{
  int index;

  for (index = 1; index <= count; index++)
    {
      NSAutoreleasePool *pool = [NSAutoreleasePool new];
      NSUserDefaults *defaults = [NSUserDefaults standardUserDefaults];
      NSString *key = [NSString stringWithFormat: @"O %ld", (long)number];

      [defaults setInteger: index forKey: key];
      if ([defaults integerForKey: key] != index)
        __sync_fetch_and_add(&wrong, 1);
      if (index % 100 == 50)
        [defaults synchronize];
      if (number == NULL && index % 150 == 0)
        [NSUserDefaults resetStandardUserDefaults];
      [pool release];
    }
  return NULL;
}

int main(void)
{
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  Counter *counter = [[Counter new] autorelease];
  pthread_t threads[8];
  long index;

  [NSUserDefaults standardUserDefaults];
  osd_open_gnustep_standard(&handle);
  /* GNUstep locks only in a program that it knows to have threads. */
  [NSThread detachNewThreadSelector: @selector(class) toTarget: [NSObject class] withObject: nil];
  [[NSNotificationCenter defaultCenter] addObserver: counter
                                           selector: @selector(changed:)
                                               name: NSUserDefaultsDidChangeNotification
                                             object: nil];
  for (index = 0; index < 8; index++)
    pthread_create(&threads[index], NULL, index % 2 ? setInC : setInObjectiveC, (void *)(index / 2));
  for (index = 0; index < 8; index++)
    pthread_join(threads[index], NULL);
  printf("wrong at once\t%d\n", wrong);
  for (index = 0; index < 4; index++)
    {
      NSUserDefaults *defaults = [NSUserDefaults standardUserDefaults];

      wrong += [defaults integerForKey: [NSString stringWithFormat: @"O %ld", index]] != count;
      wrong += [defaults integerForKey: [NSString stringWithFormat: @"C %ld", index]] != count;
    }
  printf("wrong in all\t%d\n", wrong);
  printf("every change posted\t%d\n", posted >= 8 * count);
  [[NSNotificationCenter defaultCenter] removeObserver: counter];
  osd_close(handle);
  [pool release];
  return 0;
}
