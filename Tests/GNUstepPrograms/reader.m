/* Reads each file named as an argument with GNUstep's property list reader, and prints one line
   for each: the value in the tagged JSON notation, pure ASCII, or the word "error". */

#import "tagged.h"

int main(int argc, char **argv)
{
  int i;

  for (i = 1; i < argc; i++)
    {
      NSAutoreleasePool *pool = [NSAutoreleasePool new];
      NSData *data = [NSData dataWithContentsOfFile: [NSString stringWithUTF8String: argv[i]]];
      id value = nil;

      NS_DURING
        value = [NSPropertyListSerialization propertyListWithData: data
                                                          options: NSPropertyListImmutable
                                                           format: NULL
                                                            error: NULL];
      NS_HANDLER
      NS_ENDHANDLER
      if (value == nil)
        printf("error");
      else
        put(value);
      printf("\n");
      [pool release];
    }
  return 0;
}
