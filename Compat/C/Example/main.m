#import "Preferences.h"
#include "recent.h"
#include "window.h"

int main(void)
{
  NSAutoreleasePool *pool = [NSAutoreleasePool new];

  [Preferences registerDefaults];
  printf("The width in C: %d\n", window_width("Main"));
  [Preferences setColumns: 132];
  printf("The width in C, after Objective-C has set the columns: %d\n", window_width("Main"));
  window_save("Main", 10, 20, 640, 480);
  [Preferences setRecentDocuments: 2];
  recent_add("/home/me/one.txt");
  recent_add("/home/me/two.txt");
  recent_add("/home/me/three.txt");
  printf("The documents in Swift, after Objective-C has set their number: %d\n", (int)recent_count());
  printf("Everything in Objective-C: %s\n", [[Preferences summary] UTF8String]);
  [[NSUserDefaults standardUserDefaults] synchronize];
  [pool release];
  return 0;
}
