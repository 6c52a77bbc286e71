#ifndef OSD_PROPERTY_LIST_WRITING_H
#define OSD_PROPERTY_LIST_WRITING_H

#import "OSDPropertyListText.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/// Why an object has no text.
typedef enum
{
  /// It has one.
  OSDAccepted,
  /// It is, or contains, an object that is no property list.
  OSDNoPropertyList,
  /// It has more than 500 containers in each other.
  OSDTooDeep
} OSDRefusal;

typedef struct
{
  char *bytes;
  size_t length, capacity;
} Output;

static void append(Output *output, const char *text, size_t length)
{
  if (output->length + length > output->capacity)
    {
      output->capacity = 2 * (output->length + length) + 64;
      output->bytes = NSZoneRealloc(NSDefaultMallocZone(), output->bytes, output->capacity);
    }
  memcpy(output->bytes + output->length, text, length);
  output->length += length;
}

static void appendText(Output *output, const char *text)
{
  append(output, text, strlen(text));
}

static void appendString(Output *output, NSString *string)
{
  NSUInteger length = [string length], start, count, index;
  unichar units[256];
  char escape[8];

  appendText(output, "\"");
  for (start = 0; start < length; start += count)
    {
      count = length - start < 256 ? length - start : 256;
      [string getCharacters: units range: NSMakeRange(start, count)];
      for (index = 0; index < count; index++)
        {
          unichar unit = units[index];

          if (unit >= 0x80)
            snprintf(escape, sizeof escape, "\\U%04x", (unsigned)unit);
          else if (unit < 0x20 || unit == 0x7f || unit == '"' || unit == '\\')
            snprintf(escape, sizeof escape, "\\%03o", (unsigned)unit);
          else
            {
              escape[0] = (char)unit;
              escape[1] = 0;
            }
          appendText(output, escape);
        }
    }
  appendText(output, "\"");
}

static void appendNumber(Output *output, NSNumber *number)
{
  char text[48];
  char type = *[number objCType];
  locale_t previous = uselocale(OSDPlainLocale());
  int digits;

  /* GNUstep gives truth values the type of a character, and a class of their own. */
  if ([number isKindOfClass: [[NSNumber numberWithBool: YES] class]])
    snprintf(text, sizeof text, "<*B%c>", [number boolValue] ? 'Y' : 'N');
  else if (type == 'f' || type == 'd')
    {
      double value = [number doubleValue];

      /* The fewest digits that are read back as the same number. */
      for (digits = type == 'f' ? 6 : 15; digits < 18; digits++)
        {
          snprintf(text, sizeof text, "<*R%.*g>", digits, value);
          if (type == 'f' ? strtof(text + 3, NULL) == [number floatValue] : strtod(text + 3, NULL) == value)
            break;
        }
      if (isnan(value))
        strcpy(text, "<*Rnan>");
    }
  else if (type == 'Q' || type == 'L')
    snprintf(text, sizeof text, "<*I%llu>", [number unsignedLongLongValue]);
  else
    snprintf(text, sizeof text, "<*I%lld>", [number longLongValue]);
  uselocale(previous);
  appendText(output, text);
}

static void appendDate(Output *output, NSDate *date)
{
  char text[64];
  locale_t previous = uselocale(OSDPlainLocale());

  snprintf(text, sizeof text, "\"%.17g\" /*date*/", floor([date timeIntervalSinceReferenceDate]));
  uselocale(previous);
  appendText(output, text);
}

static void appendData(Output *output, NSData *data)
{
  const unsigned char *bytes = [data bytes];
  NSUInteger length = [data length], index;

  appendText(output, "<");
  for (index = 0; index < length; index++)
    {
      const char *digits = "0123456789abcdef";
      char pair[2] = {digits[bytes[index] >> 4], digits[bytes[index] & 15]};

      append(output, pair, 2);
    }
  appendText(output, ">");
}

static NSComparisonResult compareDescriptions(id left, id right, void *context)
{
  (void)context;
  return [[left description] compare: [right description] options: NSLiteralSearch];
}

static OSDRefusal appendObject(Output *output, id object, unsigned depth)
{
  NSEnumerator *enumerator;
  OSDRefusal refusal = OSDAccepted;
  id item;

  if (depth > OSDMaximumDepth)
    return OSDTooDeep;
  if ([object isKindOfClass: [NSString class]])
    appendString(output, object);
  else if ([object isKindOfClass: [NSNumber class]])
    appendNumber(output, object);
  else if ([object isKindOfClass: [NSDate class]])
    appendDate(output, object);
  else if ([object isKindOfClass: [NSData class]])
    appendData(output, object);
  else if ([object isKindOfClass: [NSArray class]])
    {
      appendText(output, "(");
      enumerator = [object objectEnumerator];
      while (refusal == OSDAccepted && (item = [enumerator nextObject]) != nil)
        {
          refusal = appendObject(output, item, depth + 1);
          appendText(output, ",");
        }
      appendText(output, ")");
    }
  else if ([object isKindOfClass: [NSDictionary class]])
    {
      appendText(output, "{");
      /* In an order, so that equal objects have equal texts. */
      enumerator = [[[object allKeys] sortedArrayUsingFunction: compareDescriptions context: NULL] objectEnumerator];
      while (refusal == OSDAccepted && (item = [enumerator nextObject]) != nil)
        {
          appendString(output, [item description]);
          appendText(output, "=");
          refusal = appendObject(output, [object objectForKey: item], depth + 1);
          appendText(output, ";");
        }
      appendText(output, "}");
    }
  else
    return OSDNoPropertyList;
  return refusal;
}

/// Writes an object as the text that the functions of `OpenStepDefaults.h` take, with its types.
///
/// Numbers keep all their digits; a number in single precision has the fewest digits that are read as the same number.
/// A key of a dictionary that is no string becomes its description. A half of a surrogate pair becomes U+FFFD in the
/// library, which has no strings with such halves. A date loses its fraction of a second, as in GNUstep's files: a file
/// with a fraction could not keep the form that GNUstep's programs read.
///
/// @param text The text, in ASCII, which the caller frees by NSZoneFree(); NULL if there is none.
static OSDRefusal OSDCopyTextOfPropertyList(id object, char **text)
{
  Output output = {NULL, 0, 0};
  OSDRefusal refusal = appendObject(&output, object, 0);

  append(&output, "", 1);
  *text = output.bytes;
  if (refusal != OSDAccepted)
    {
      NSZoneFree(NSDefaultMallocZone(), output.bytes);
      *text = NULL;
    }
  return refusal;
}

#endif
