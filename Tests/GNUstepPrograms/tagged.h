/* Prints a property list in the tagged JSON notation, pure ASCII, on the standard output. */

#import <Foundation/Foundation.h>
#include <stdio.h>

static void put(id value);

static void putString(NSString *text)
{
  NSUInteger length = [text length], i;

  putchar('"');
  for (i = 0; i < length; i++)
    {
      unichar c = [text characterAtIndex: i];

      if (c < 0x20 || c > 0x7e || c == '"' || c == '\\')
        printf("\\u%04x", (unsigned)c);
      else
        putchar(c);
    }
  putchar('"');
}

static void putNumber(NSNumber *number)
{
  const char *type = [number objCType];

  if ([NSStringFromClass([number class]) rangeOfString: @"Bool"].length > 0)
    printf("{\"bool\":%s}", [number boolValue] ? "true" : "false");
  else if (*type == 'd' || *type == 'f')
    printf("{\"real\":\"%.17g\"}", [number doubleValue]);
  else
    printf("{\"int\":\"%s\"}", [[number stringValue] UTF8String]);
}

static void putDate(NSDate *date)
{
  /* The seconds themselves: GNUstep's calendar is not what is asked here. */
  printf("{\"seconds\":\"%.17g\"}", [date timeIntervalSinceReferenceDate]);
}

static void putData(NSData *data)
{
  const unsigned char *bytes = [data bytes];
  NSUInteger length = [data length], i;

  printf("{\"d\":\"");
  for (i = 0; i < length; i++)
    printf("%02x", bytes[i]);
  printf("\"}");
}

static void put(id value)
{
  NSEnumerator *enumerator;
  id item;
  BOOL first = YES;

  if ([value isKindOfClass: [NSString class]])
    {
      printf("{\"s\":");
      putString(value);
      printf("}");
    }
  else if ([value isKindOfClass: [NSNumber class]])
    putNumber(value);
  else if ([value isKindOfClass: [NSDate class]])
    putDate(value);
  else if ([value isKindOfClass: [NSData class]])
    putData(value);
  else if ([value isKindOfClass: [NSArray class]])
    {
      printf("{\"a\":[");
      for (enumerator = [value objectEnumerator]; (item = [enumerator nextObject]) != nil; first = NO)
        {
          if (!first) putchar(',');
          put(item);
        }
      printf("]}");
    }
  else if ([value isKindOfClass: [NSDictionary class]])
    {
      printf("{\"o\":{");
      for (enumerator = [value keyEnumerator]; (item = [enumerator nextObject]) != nil; first = NO)
        {
          if (!first) putchar(',');
          putString(item);
          putchar(':');
          put([value objectForKey: item]);
        }
      printf("}}");
    }
  else
    printf("{\"unknown\":0}");
}
