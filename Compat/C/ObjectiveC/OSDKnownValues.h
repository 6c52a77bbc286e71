#ifndef OSD_KNOWN_VALUES_H
#define OSD_KNOWN_VALUES_H

#import "OSDLibrary.h"
#include <pthread.h>

/* For both dictionaries. No object of the program is asked or released while it is held, since that may look keys up: the
   keys are copies of plain strings. */
static pthread_mutex_t knownLock = PTHREAD_MUTEX_INITIALIZER;
/* What was read or set last for a key: an array of its text and of the object. */
static NSMutableDictionary *known;
/* A dictionary for each domain's name. */
static NSMutableDictionary *others;
/* How often an entry is made at most: other threads may set the key without a pause. */
enum { maximumRounds = 16 };

/* A string of a class of the library, which the caller releases; nil for what is no string. */
static NSString *plainCopy(NSString *string)
{
  /* Most keys are literals, which need no copy. */
  if ([string class] == [@"" class])
    return [string retain];
  return [string isKindOfClass: [NSString class]] ? [[NSString alloc] initWithString: string] : nil;
}

/* What is kept for a key, which the caller releases; nil for nothing. */
static NSArray *retainedEntry(NSString *plainKey)
{
  NSArray *entry;

  if (plainKey == nil)
    return nil;
  pthread_mutex_lock(&knownLock);
  entry = [[known objectForKey: plainKey] retain];
  pthread_mutex_unlock(&knownLock);
  return entry;
}

/* The object of an entry if that is of a text, else nil. */
static id objectOfEntry(NSArray *entry, const char *text, size_t length)
{
  NSData *last = [entry objectAtIndex: 0];

  if (entry == nil || [last length] != length || memcmp([last bytes], text, length) != 0)
    return nil;
  return [[[entry objectAtIndex: 1] retain] autorelease];
}

/* An entry, which the caller releases. */
static NSArray *newEntry(id object, const char *text, size_t length)
{
  NSData *data = [[NSData alloc] initWithBytes: text length: length];
  NSArray *entry = [[NSArray alloc] initWithObjects: data, object, nil];

  [data release];
  return entry;
}

/* Keeps an entry for a key in place of another one, or forgets that for nil. NO, with nothing changed, if the key has another
   entry by now, or none: another thread may have set it meanwhile. */
static BOOL replaceEntry(NSArray *former, NSArray *entry, NSString *plainKey)
{
  BOOL isSame;

  pthread_mutex_lock(&knownLock);
  if (known == nil)
    known = [[NSMutableDictionary alloc] init];
  isSame = [known objectForKey: plainKey] == former;
  if (isSame && entry != nil)
    [known setObject: entry forKey: plainKey];
  else if (isSame)
    [known removeObjectForKey: plainKey];
  pthread_mutex_unlock(&knownLock);
  return isSame;
}

/// The object of a key's value in the search list; nil if it has none there.
///
/// As long as the text is the same, so is the object: programs keep what GNUstep gives them without retaining it.
static id OSDFoundObject(NSString *key)
{
  NSString *plainKey = plainCopy(key);
  BOOL isDone = NO;
  int round;
  id object = nil;

  /* Once more where another thread kept something else meanwhile. */
  for (round = 0; !isDone && round < maximumRounds; round++)
    {
      /* Before the text: what another thread sets later has another entry. */
      NSArray *former = retainedEntry(plainKey), *entry = nil;
      size_t length = 0;
      char *text = OSDCopiedText(OSDHandle, osd_copy_property_list, plainKey, &length);

      object = text == NULL ? nil : objectOfEntry(former, text, length);
      isDone = object != nil || (text == NULL && former == nil);
      if (!isDone)
        {
          if (text != NULL && (object = OSDPropertyListOfText(text, length)) != nil)
            entry = newEntry(object, text, length);
          isDone = replaceEntry(former, entry, plainKey);
        }
      osd_free(text);
      [entry release];
      [former release];
    }
  [plainKey release];
  return object;
}

/// Forgets what was kept for a key if the key has no value any more.
static void OSDForgetObjectOfAbsentKey(NSString *key)
{
  NSString *plainKey = plainCopy(key);
  NSArray *former = retainedEntry(plainKey);
  size_t length = 0;
  char *text = former == nil ? NULL : OSDCopiedText(OSDHandle, osd_copy_property_list, plainKey, &length);

  if (former != nil && text == NULL)
    replaceEntry(former, nil, plainKey);
  osd_free(text);
  [former release];
  [plainKey release];
}

/* A copy that the program cannot change, with the very numbers and dates. */
static id immutableCopy(id object)
{
  NSEnumerator *enumerator;
  id item, copy;

  if ([object isKindOfClass: [NSArray class]])
    {
      copy = [NSMutableArray array];
      enumerator = [object objectEnumerator];
      while ((item = [enumerator nextObject]) != nil)
        [copy addObject: immutableCopy(item)];
      return [NSArray arrayWithArray: copy];
    }
  if ([object isKindOfClass: [NSDictionary class]])
    {
      copy = [NSMutableDictionary dictionary];
      enumerator = [object keyEnumerator];
      while ((item = [enumerator nextObject]) != nil)
        [copy setObject: immutableCopy([object objectForKey: item]) forKey: item];
      return [NSDictionary dictionaryWithDictionary: copy];
    }
  return [[object copy] autorelease];
}

/// Keeps an object that was set: its text does not have the class of a number, nor the fraction of a date.
static void OSDKeepSetObject(id value, NSString *key)
{
  NSString *plainKey = plainCopy(key);
  char *wanted = NULL;
  BOOL isDone = OSDCopyTextOfPropertyList(value, &wanted) != OSDAccepted;
  int round;

  /* As for a lookup: another thread may set the key meanwhile, and keeps its own object. */
  for (round = 0; !isDone && round < maximumRounds; round++)
    {
      NSArray *former = retainedEntry(plainKey), *entry = nil;
      size_t length = 0;
      char *text = OSDCopiedText(OSDHandle, osd_copy_property_list, plainKey, &length), *found = NULL;

      /* A domain that is searched before may have another value. */
      isDone = text == NULL || OSDCopyTextOfPropertyList(OSDPropertyListOfText(text, length), &found) != OSDAccepted
        || strcmp(wanted, found) != 0;
      if (!isDone)
        {
          entry = newEntry(immutableCopy(value), text, length);
          isDone = replaceEntry(former, entry, plainKey);
        }
      NSZoneFree(NSDefaultMallocZone(), found);
      osd_free(text);
      [entry release];
      [former release];
    }
  NSZoneFree(NSDefaultMallocZone(), wanted);
  [plainKey release];
}

// MARK: - Values that are no property lists

/// The values in a volatile domain that are no property lists, which the library does not take; nil if there are none.
static NSDictionary *OSDOtherValues(NSString *domainName)
{
  NSString *plainName = plainCopy(domainName);
  NSDictionary *values;

  if (plainName == nil)
    return nil;
  pthread_mutex_lock(&knownLock);
  values = [[others objectForKey: plainName] retain];
  pthread_mutex_unlock(&knownLock);
  [plainName release];
  return [values autorelease];
}

/// Sets those values.
static void OSDSetOtherValues(NSDictionary *values, NSString *domainName)
{
  NSString *plainName = plainCopy(domainName);
  BOOL isEmpty = [values count] == 0;
  NSDictionary *former;

  if (plainName == nil)
    return;
  pthread_mutex_lock(&knownLock);
  if (others == nil)
    others = [[NSMutableDictionary alloc] init];
  former = [[others objectForKey: plainName] retain];
  if (isEmpty)
    [others removeObjectForKey: plainName];
  else
    [others setObject: values forKey: plainName];
  pthread_mutex_unlock(&knownLock);
  [former release];
  [plainName release];
}

/// The values of a dictionary that are property lists; they are removed from the rest, to which the others are added.
static NSDictionary *OSDPropertyListsOf(NSDictionary *values, NSMutableDictionary *rest)
{
  NSMutableDictionary *lists = [NSMutableDictionary dictionary];
  NSEnumerator *keys = [values keyEnumerator];
  id key;

  while ((key = [keys nextObject]) != nil)
    {
      id value = [values objectForKey: key];
      char *text;

      if (OSDCopyTextOfPropertyList(value, &text) == OSDAccepted)
        {
          NSZoneFree(NSDefaultMallocZone(), text);
          [lists setObject: value forKey: key];
          [rest removeObjectForKey: key];
        }
      else
        [rest setObject: value forKey: key];
    }
  return lists;
}

/// Whether any domain has such values.
static BOOL OSDHasOtherValues(void)
{
  BOOL result;

  pthread_mutex_lock(&knownLock);
  result = [others count] > 0;
  pthread_mutex_unlock(&knownLock);
  return result;
}

#endif
