#ifndef OSD_KNOWN_VALUES_H
#define OSD_KNOWN_VALUES_H

#import "OSDLibrary.h"
#include <pthread.h>

/* For both dictionaries. No object is released while it is held: the -dealloc of a program's object may look keys up. */
static pthread_mutex_t knownLock = PTHREAD_MUTEX_INITIALIZER;
/* What was read or set last for a key: an array of its text and of the object. */
static NSMutableDictionary *known;
/* A dictionary for each domain's name. */
static NSMutableDictionary *others;

/* The object of an entry if that is of a text, else nil. */
static id objectOfEntry(NSArray *entry, const char *text, size_t length)
{
  NSData *last = [entry objectAtIndex: 0];

  if (entry == nil || [last length] != length || memcmp([last bytes], text, length) != 0)
    return nil;
  return [entry objectAtIndex: 1];
}

/* What was kept with a text for a key; nil if that was another text. */
static id knownObject(NSString *key, const char *text, size_t length)
{
  id object;

  pthread_mutex_lock(&knownLock);
  object = [objectOfEntry([known objectForKey: key], text, length) retain];
  pthread_mutex_unlock(&knownLock);
  return [object autorelease];
}

/* Keeps an object with its text, and gives it. One that was set takes the place of every other; one that was made of the
   text does not replace what another thread keeps with the same text, which may have been set. */
static id keepObject(id object, NSString *key, const char *text, size_t length, BOOL wasSet)
{
  NSData *data = [[NSData alloc] initWithBytes: text length: length];
  NSArray *entry = [[NSArray alloc] initWithObjects: data, object, nil], *former;
  id kept = nil;

  pthread_mutex_lock(&knownLock);
  if (known == nil)
    known = [[NSMutableDictionary alloc] init];
  former = [[known objectForKey: key] retain];
  if (!wasSet)
    kept = [objectOfEntry(former, text, length) retain];
  if (kept == nil)
    [known setObject: entry forKey: key];
  pthread_mutex_unlock(&knownLock);
  [former release];
  [entry release];
  [data release];
  return kept == nil ? object : [kept autorelease];
}

/// Forgets what was kept for a key if the key has no value any more.
static void OSDForgetObjectOfAbsentKey(NSString *key)
{
  NSArray *entry;
  size_t length = 0;
  char *text;

  pthread_mutex_lock(&knownLock);
  entry = [[known objectForKey: key] retain];
  pthread_mutex_unlock(&knownLock);
  if (entry == nil)
    return;
  /* Asked after the entry was found: what another thread sets later has another entry. */
  text = OSDCopiedText(OSDHandle, osd_copy_property_list, key, &length);
  if (text == NULL)
    {
      pthread_mutex_lock(&knownLock);
      if ([known objectForKey: key] == entry)
        [known removeObjectForKey: key];
      pthread_mutex_unlock(&knownLock);
    }
  osd_free(text);
  [entry release];
}

/// The object of a text that was copied for a key. As long as the text is the same, so is the object: programs keep
/// what GNUstep gives them without retaining it.
static id OSDObjectOfText(NSString *key, const char *text, size_t length)
{
  id object = knownObject(key, text, length);

  if (object == nil && (object = OSDPropertyListOfText(text, length)) != nil)
    object = keepObject(object, key, text, length, NO);
  return object;
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
  size_t length = 0;
  char *text = OSDCopiedText(OSDHandle, osd_copy_property_list, key, &length), *wanted = NULL, *found = NULL;

  /* A domain that is searched before may have another value. */
  if (text != NULL && OSDCopyTextOfPropertyList(value, &wanted) == OSDAccepted
      && OSDCopyTextOfPropertyList(OSDPropertyListOfText(text, length), &found) == OSDAccepted
      && strcmp(wanted, found) == 0)
    keepObject(immutableCopy(value), key, text, length, YES);
  NSZoneFree(NSDefaultMallocZone(), wanted);
  NSZoneFree(NSDefaultMallocZone(), found);
  osd_free(text);
}

// MARK: - Values that are no property lists

/// The values in a volatile domain that are no property lists, which the library does not take; nil if there are none.
static NSDictionary *OSDOtherValues(NSString *domainName)
{
  NSDictionary *values;

  pthread_mutex_lock(&knownLock);
  values = domainName == nil ? nil : [[others objectForKey: domainName] retain];
  pthread_mutex_unlock(&knownLock);
  return [values autorelease];
}

/// Sets those values.
static void OSDSetOtherValues(NSDictionary *values, NSString *domainName)
{
  NSDictionary *former;

  pthread_mutex_lock(&knownLock);
  if (others == nil)
    others = [[NSMutableDictionary alloc] init];
  former = [[others objectForKey: domainName] retain];
  if ([values count] > 0)
    [others setObject: values forKey: domainName];
  else
    [others removeObjectForKey: domainName];
  pthread_mutex_unlock(&knownLock);
  [former release];
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
