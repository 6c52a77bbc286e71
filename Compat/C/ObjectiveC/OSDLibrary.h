#ifndef OSD_LIBRARY_H
#define OSD_LIBRARY_H

#import "OSDPropertyListReading.h"
#import "OSDPropertyListWriting.h"
#import "OpenStepDefaults.h"

/// The handle for which the functions below call the library.
static osd_defaults *OSDHandle;

typedef osd_status (*OSDNameFunction)(osd_defaults *, const char *);
typedef osd_status (*OSDTextFunction)(osd_defaults *, const char *, const char *);
typedef osd_status (*OSDNamesFunction)(osd_defaults *, char ***, size_t *);
typedef osd_status (*OSDCopyFunction)(osd_defaults *, const char *, char **, size_t *);

/// A string as UTF-8, which the caller frees; NULL for what the library does not take: another object, or a string
/// with a NUL. A half of a surrogate pair becomes U+FFFD.
static char *OSDCopyName(NSString *string)
{
  NSUInteger length, index;
  unsigned char *name, *end;

  if (![string isKindOfClass: [NSString class]])
    return NULL;
  length = [string length];
  if ((end = name = malloc(3 * length + 1)) == NULL)
    return NULL;
  for (index = 0; index < length; index++)
    {
      unsigned long scalar = [string characterAtIndex: index];
      unichar trail = index + 1 < length ? [string characterAtIndex: index + 1] : 0;

      if (scalar == 0)
        {
          free(name);
          return NULL;
        }
      if (scalar >= 0xD800 && scalar < 0xDC00 && trail >= 0xDC00 && trail < 0xE000)
        {
          scalar = 0x10000 + ((scalar - 0xD800) << 10) + (trail - 0xDC00);
          index++;
        }
      else if (scalar >= 0xD800 && scalar < 0xE000)
        scalar = 0xFFFD;
      if (scalar < 0x80)
        *end++ = (unsigned char)scalar;
      else
        {
          if (scalar < 0x800)
            *end++ = (unsigned char)(0xC0 | scalar >> 6);
          else
            {
              if (scalar < 0x10000)
                *end++ = (unsigned char)(0xE0 | scalar >> 12);
              else
                {
                  *end++ = (unsigned char)(0xF0 | scalar >> 18);
                  *end++ = (unsigned char)(0x80 | (scalar >> 12 & 0x3F));
                }
              *end++ = (unsigned char)(0x80 | (scalar >> 6 & 0x3F));
            }
          *end++ = (unsigned char)(0x80 | (scalar & 0x3F));
        }
    }
  *end = 0;
  return (char *)name;
}

/// Calls a function with a name; one that the library does not take is OSD_BAD_ARGUMENT.
static osd_status OSDCallWithName(OSDNameFunction function, NSString *name)
{
  char *bytes = OSDCopyName(name);
  osd_status status = bytes == NULL ? OSD_BAD_ARGUMENT : function(OSDHandle, bytes);

  free(bytes);
  return status;
}

/// Calls a function that sets a value for a name; one that is no property list is OSD_BAD_ARGUMENT.
static osd_status OSDCallWithValue(OSDTextFunction function, NSString *name, id value)
{
  char *bytes = OSDCopyName(name), *text = NULL;
  osd_status status = OSD_BAD_ARGUMENT;

  if (bytes != NULL && OSDCopyTextOfPropertyList(value, &text) == OSDAccepted)
    status = function(OSDHandle, bytes, text);
  NSZoneFree(NSDefaultMallocZone(), text);
  free(bytes);
  return status;
}

/// The names that a function copies.
static NSArray *OSDCopiedNames(OSDNamesFunction function)
{
  NSMutableArray *result = [NSMutableArray array];
  char **names = NULL;
  size_t count = 0, index;

  if (function(OSDHandle, &names, &count) == OSD_OK)
    for (index = 0; index < count; index++)
      [result addObject: [NSString stringWithUTF8String: names[index]]];
  osd_free(names);
  return [NSArray arrayWithArray: result];
}

/// The text that a function copies for a name, from any handle; the caller frees it by osd_free(). NULL if there is
/// none.
static char *OSDCopiedText(osd_defaults *defaults, OSDCopyFunction function, NSString *name, size_t *length)
{
  char *bytes = OSDCopyName(name), *text = NULL;

  if (bytes != NULL && function(defaults, bytes, &text, length) == OSD_FAILED)
    NSLog(@"%@: %s", name, osd_error_message());
  free(bytes);
  return text;
}

/// The dictionary that a function copies for a name; nil if there is none.
static NSDictionary *OSDCopiedDomain(OSDCopyFunction function, NSString *name)
{
  size_t length = 0;
  char *text = OSDCopiedText(OSDHandle, function, name, &length);
  NSDictionary *domain = text == NULL ? nil : OSDPropertyListOfText(text, length);

  osd_free(text);
  return domain;
}

#endif
