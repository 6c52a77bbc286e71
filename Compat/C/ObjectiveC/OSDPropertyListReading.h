#ifndef OSD_PROPERTY_LIST_READING_H
#define OSD_PROPERTY_LIST_READING_H

#import "OSDPropertyListText.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A number in the notation of C, which the program's own locale may not have. */
static double realOfText(const char *text, char **end)
{
  locale_t previous = uselocale(OSDPlainLocale());
  double value = strtod(text, end);

  uselocale(previous);
  return value;
}

// MARK: - Dates

/* The days from 2001-01-01 to a day of the Gregorian calendar. Years begin in March here, so that the day that leap
   years have besides is their last one. */
static long long dayNumber(long long year, int month, int day)
{
  long long years = month > 2 ? year : year - 1;
  long long era = (years >= 0 ? years : years - 399) / 400;
  long long ofEra = years - era * 400;
  long long ofYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;

  return era * 146097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 730791;
}

static unsigned long long powerOfTen(size_t digits)
{
  unsigned long long power = 1;

  while (digits-- > 0)
    power *= 10;
  return power;
}

/* A date as GNUstep's XML reader gives it, which programs may print or ask for its year. */
static NSDate *dateOfSeconds(double seconds)
{
  NSCalendarDate *date = [NSCalendarDate dateWithTimeIntervalSinceReferenceDate: seconds];

  [date setCalendarFormat: @"%Y-%m-%dT%H:%M:%SZ"];
  [date setTimeZone: [NSTimeZone timeZoneForSecondsFromGMT: 0]];
  return date;
}

/* The date of a text in calendar form, or of its seconds since 2001. */
static NSDate *dateOfText(const char *text)
{
  int year, month, day, hour, minute, second, used = 0, zone = 0;
  char fraction[20] = "", decimal[64];
  long long whole;
  double seconds;

  if (sscanf(text, "%d-%2d-%2d %2d:%2d:%2d%n", &year, &month, &day, &hour, &minute, &second, &used) != 6)
    {
      char *end;

      seconds = realOfText(text, &end);
      return end == text || *end != 0 ? nil : dateOfSeconds(seconds);
    }
  text += used;
  if (*text == '.' && sscanf(text, ".%18[0-9]%n", fraction, &used) == 1)
    text += used;
  /* Digits beyond those of a double. */
  text += strspn(text, "0123456789");
  if (sscanf(text, " %d", &zone) != 1)
    return nil;
  whole = dayNumber(year, month, day) * 86400 + hour * 3600 + minute * 60 + second;
  whole -= (zone / 100) * 3600 + (zone % 100) * 60;
  if (whole < 0 && strtoull(fraction, NULL, 10) > 0)
    {
      size_t count = strlen(fraction);

      /* The digits of the number without its sign, which then is rounded once. */
      snprintf(decimal, sizeof decimal, "-%lld.%0*llu", -(whole + 1), (int)count,
               powerOfTen(count) - strtoull(fraction, NULL, 10));
    }
  else
    snprintf(decimal, sizeof decimal, "%lld.%s", whole, fraction);
  return dateOfSeconds(realOfText(decimal, NULL));
}

// MARK: - Reading

typedef struct
{
  const char *position;
  const char *end;
} Reader;

static id readObject(Reader *reader, unsigned depth);

static void skipBlanks(Reader *reader)
{
  while (reader->position < reader->end && strchr(" \t\n\r\v\f", *reader->position) != NULL)
    reader->position++;
}

/* Moves over a character and the blanks around it; false where there is another one. */
static BOOL skip(Reader *reader, char character)
{
  skipBlanks(reader);
  if (reader->position >= reader->end || *reader->position != character)
    return NO;
  reader->position++;
  skipBlanks(reader);
  return YES;
}

static void appendUnit(NSMutableData *units, unichar unit)
{
  [units appendBytes: &unit length: sizeof unit];
}

/* Appends raw UTF-8 as UTF-16. */
static void appendRaw(NSMutableData *units, const char *start, const char *end)
{
  NSString *part;
  NSUInteger length, old = [units length];

  if (start == end)
    return;
  part = [[NSString alloc] initWithBytes: start length: (NSUInteger)(end - start) encoding: NSUTF8StringEncoding];
  length = [part length];
  [units setLength: old + length * sizeof(unichar)];
  [part getCharacters: (unichar *)((char *)[units mutableBytes] + old)];
  [part release];
}

static void readEscape(Reader *reader, NSMutableData *units)
{
  static const char letters[] = "abtnvfr", controls[] = "\a\b\t\n\v\f\r";
  char character = *reader->position++;
  const char *letter;
  unsigned value = 0;
  int used;

  if (character >= '0' && character <= '7')
    {
      value = (unsigned)(character - '0');
      for (used = 1; used < 3 && reader->position < reader->end; used++)
        {
          if (*reader->position < '0' || *reader->position > '7')
            break;
          value = value << 3 | (unsigned)(*reader->position++ - '0');
        }
      appendUnit(units, (unichar)value);
    }
  else if (character == 'U' && reader->end - reader->position >= 4 && sscanf(reader->position, "%4x", &value) == 1)
    {
      reader->position += 4;
      appendUnit(units, (unichar)value);
    }
  else if ((letter = strchr(letters, character)) != NULL)
    appendUnit(units, (unichar)controls[letter - letters]);
  else
    appendUnit(units, (unichar)(unsigned char)character);
}

/* Reads a string, the first quote of which has been read. */
static NSString *readQuoted(Reader *reader)
{
  const char *start = reader->position;
  NSMutableData *units = nil;
  NSString *string = nil;

  while (reader->position < reader->end && *reader->position != '"')
    {
      if (*reader->position != '\\')
        {
          reader->position++;
          continue;
        }
      if (units == nil)
        units = [[NSMutableData alloc] init];
      appendRaw(units, start, reader->position++);
      if (reader->position < reader->end)
        readEscape(reader, units);
      start = reader->position;
    }
  if (reader->position < reader->end)
    {
      if (units == nil)
        string = [[NSString alloc] initWithBytes: start length: (NSUInteger)(reader->position - start)
                                        encoding: NSUTF8StringEncoding];
      else
        {
          appendRaw(units, start, reader->position);
          string = [[NSString alloc] initWithCharacters: [units bytes]
                                                 length: [units length] / sizeof(unichar)];
        }
      reader->position++;
    }
  [units release];
  return [string autorelease];
}

/* The value of one of GNUstep's typed scalars; nil for another type. */
static id scalar(char type, const char *text)
{
  unsigned long long magnitude;

  switch (type)
    {
    case 'B':
      return [NSNumber numberWithBool: *text == 'Y'];
    case 'R':
      return [NSNumber numberWithDouble: realOfText(text, NULL)];
    case 'D':
      return dateOfText(text);
    case 'I':
      if (*text == '-')
        return [NSNumber numberWithLongLong: strtoll(text, NULL, 10)];
      magnitude = strtoull(text, NULL, 10);
      if (magnitude > (unsigned long long)INT64_MAX)
        return [NSNumber numberWithUnsignedLongLong: magnitude];
      return [NSNumber numberWithLongLong: (long long)magnitude];
    default:
      return nil;
    }
}

static int digitValue(char digit)
{
  if (digit >= '0' && digit <= '9')
    return digit - '0';
  if (digit >= 'a' && digit <= 'f')
    return digit - 'a' + 10;
  return -1;
}

/* Reads data or a typed value, the angle bracket of which has been read. */
static id readAngle(Reader *reader)
{
  const char *close = memchr(reader->position, '>', (size_t)(reader->end - reader->position));
  NSMutableData *data;
  unsigned char *bytes;
  size_t count = 0;
  int high, low;

  if (close == NULL)
    return nil;
  if (*reader->position == '*' && close - reader->position >= 2 && close - reader->position < 80)
    {
      char text[80], type = reader->position[1];
      size_t length = (size_t)(close - reader->position - 2);

      memcpy(text, reader->position + 2, length);
      text[length] = 0;
      reader->position = close + 1;
      return scalar(type, text);
    }
  data = [NSMutableData dataWithLength: (NSUInteger)(close - reader->position) / 2];
  bytes = [data mutableBytes];
  for (skipBlanks(reader); reader->position < close; skipBlanks(reader))
    {
      if ((high = digitValue(reader->position[0])) < 0 || (low = digitValue(reader->position[1])) < 0)
        return nil;
      bytes[count++] = (unsigned char)(high << 4 | low);
      reader->position += 2;
    }
  reader->position = close + 1;
  return [NSData dataWithBytes: bytes length: count];
}

static NSArray *readArray(Reader *reader, unsigned depth)
{
  NSMutableArray *array = [NSMutableArray array];

  skipBlanks(reader);
  while (reader->position < reader->end && *reader->position != ')')
    {
      id item = readObject(reader, depth);

      if (item == nil)
        return nil;
      [array addObject: item];
      if (!skip(reader, ','))
        break;
    }
  return skip(reader, ')') ? [NSArray arrayWithArray: array] : nil;
}

static NSDictionary *readDictionary(Reader *reader, unsigned depth)
{
  NSMutableDictionary *dictionary = [NSMutableDictionary dictionary];

  skipBlanks(reader);
  while (reader->position < reader->end && *reader->position != '}')
    {
      id key = readObject(reader, depth), value;

      if (![key isKindOfClass: [NSString class]] || !skip(reader, '='))
        return nil;
      if ((value = readObject(reader, depth)) == nil || !skip(reader, ';'))
        return nil;
      [dictionary setObject: value forKey: key];
    }
  return skip(reader, '}') ? [NSDictionary dictionaryWithDictionary: dictionary] : nil;
}

/* The value of a string, and of the note of its type that follows: the library writes a text with notes where
   GNUstep's form cannot hold a date. */
static id noted(Reader *reader, NSString *string)
{
  static const char *const notes[] = {" /*integer*/", " /*real*/", " /*float*/", " /*boolean*/", " /*date*/"};
  static const char types[] = "IRRBD";
  size_t rest = (size_t)(reader->end - reader->position), index;

  for (index = 0; index < sizeof notes / sizeof *notes; index++)
    {
      size_t length = strlen(notes[index]);

      if (rest >= length && memcmp(reader->position, notes[index], length) == 0)
        {
          reader->position += length;
          return scalar(types[index], [string UTF8String]);
        }
    }
  return string;
}

static id readObject(Reader *reader, unsigned depth)
{
  const char *start;

  skipBlanks(reader);
  /* The library writes no deeper ones. */
  if (depth > 2 * OSDMaximumDepth || reader->position >= reader->end)
    return nil;
  start = reader->position++;
  switch (*start)
    {
    case '"':
      return noted(reader, readQuoted(reader));
    case '<':
      return readAngle(reader);
    case '(':
      return readArray(reader, depth + 1);
    case '{':
      return readDictionary(reader, depth + 1);
    default:
      while (reader->position < reader->end && strchr(" \t\n\r\v\f\"<>(){}=;,", *reader->position) == NULL)
        reader->position++;
      return noted(reader, [[[NSString alloc] initWithBytes: start
                                                     length: (NSUInteger)(reader->position - start)
                                                   encoding: NSUTF8StringEncoding] autorelease]);
    }
}

/// Makes the object of a text that a function of `OpenStepDefaults.h` has copied.
///
/// GNUstep's own reader refuses dates with fractions, and shortens numbers; this one does not. A date is an
/// NSCalendarDate as from GNUstep's files.
///
/// @param length The number of bytes before the final NUL.
/// @return An immutable object; nil for a text that is no property list.
static id OSDPropertyListOfText(const char *text, size_t length)
{
  Reader reader = {text, text + length};

  return readObject(&reader, 0);
}

#endif
