/* Asks GNUstep's strings and numbers what they are as numbers, truth values and text. Each line of the
   file named as the argument is one object: a letter, a space, and

     s  the hexadecimal digits of a string's UTF-8 bytes
     d  the hexadecimal digits of a double's bits
     f  the hexadecimal digits of a float's bits
     q  the decimal digits of a signed number of 64 bits
     Q  the decimal digits of an unsigned one
     B  1 or 0, a truth value

   One line of answers follows for each: intValue, integerValue, boolValue, the bits of floatValue and of
   doubleValue, and the text in hexadecimal digits: that of stringValue, and of a string itself. Behind the
   text there is a 1 or a 0 for each object so far, whether the two are equal. */

#import <Foundation/Foundation.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static id object(const char *line)
{
  const char *text = line + 2;
  union { unsigned long long bits; double value; } wide;
  union { unsigned bits; float value; } narrow;

  switch (*line)
    {
    case 's':
      {
        NSMutableData *data = [NSMutableData data];

        for (; text[0] > ' ' && text[1] > ' '; text += 2)
          {
            char digits[3] = { text[0], text[1], 0 };
            unsigned char byte = (unsigned char)strtoul(digits, NULL, 16);

            [data appendBytes: &byte length: 1];
          }
        return [[[NSString alloc] initWithData: data encoding: NSUTF8StringEncoding] autorelease];
      }
    case 'd':
      wide.bits = strtoull(text, NULL, 16);
      return [NSNumber numberWithDouble: wide.value];
    case 'f':
      narrow.bits = (unsigned)strtoul(text, NULL, 16);
      return [NSNumber numberWithFloat: narrow.value];
    case 'q':
      return [NSNumber numberWithLongLong: strtoll(text, NULL, 10)];
    case 'Q':
      return [NSNumber numberWithUnsignedLongLong: strtoull(text, NULL, 10)];
    case 'B':
      return [NSNumber numberWithBool: *text == '1'];
    default:
      return nil;
    }
}

static void putHexadecimal(NSString *text)
{
  NSData *data = [text dataUsingEncoding: NSUTF8StringEncoding];
  const unsigned char *bytes = [data bytes];
  NSUInteger length = [data length], i;

  for (i = 0; i < length; i++)
    printf("%02x", bytes[i]);
}

int main(int argc, char **argv)
{
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  NSMutableArray *objects = [NSMutableArray array];
  FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
  char *line = NULL;
  size_t capacity = 0;

  if (file == NULL)
    return 1;
  while (getline(&line, &capacity, file) > 0)
    {
      id value = object(line), text;
      union { unsigned long long bits; double value; } wide;
      union { unsigned bits; float value; } narrow;
      NSUInteger i;

      if (value == nil)
        return 1;
      [objects addObject: value];
      text = [value isKindOfClass: [NSString class]] ? value : [value stringValue];
      narrow.value = [value floatValue];
      wide.value = [value doubleValue];
      printf("%d %ld %d %08x %016llx ", [value intValue], (long)[value integerValue], [value boolValue],
             narrow.bits, wide.bits);
      putHexadecimal(text);
      putchar(' ');
      for (i = 0; i < [objects count]; i++)
        putchar([value isEqual: [objects objectAtIndex: i]] ? '1' : '0');
      putchar('\n');
    }
  [pool release];
  return 0;
}
