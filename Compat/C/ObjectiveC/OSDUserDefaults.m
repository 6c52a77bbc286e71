#import "OSDUserDefaults.h"
#import "OSDTakingOver.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* All of the code is in this file and its headers: when +load is called, the runtime knows no selectors of other files.

   The class has no instance variables, because an object of its superclass becomes its own: all it knows is here. */

/* Whether this version of GNUstep posts the notification also for calls that change nothing. */
static BOOL postsAlways;

/* How many changes the process has seen, and the representation that was made after so many. */
static unsigned long changeCount, representationCount;
static NSDictionary *representation;
static pthread_mutex_t representationLock = PTHREAD_MUTEX_INITIALIZER;

/* Whether this thread makes a change of which the class itself knows what it means, and how often the library has
   called back meanwhile. */
static __thread BOOL isChanging;
static __thread unsigned calls;
/* Whether this thread has seen the notification. */
static __thread BOOL hasPosted;

@interface OSDUserDefaults (Changes)
- (BOOL) refreshFlags;
- (void) changed;
@end

static void OSDLibraryHasChanged(const char *key, void *context)
{
  NSAutoreleasePool *pool;
  id defaults;

  (void)key;
  (void)context;
  calls++;
  __sync_fetch_and_add(&changeCount, 1);
  if (isChanging || OSDIsTakingOver)
    return;
  pool = [[NSAutoreleasePool alloc] init];
  defaults = [NSUserDefaults standardUserDefaults];
  if ([defaults isKindOfClass: [OSDUserDefaults class]])
    [defaults changed];
  [pool release];
}

@implementation OSDUserDefaults

+ (void) load
{
  OSDReplaceStandardUserDefaults();
}

// MARK: - Changes

- (void) beginObserving
{
  [[NSNotificationCenter defaultCenter] addObserver: self
                                           selector: @selector(notificationWasPosted:)
                                               name: NSUserDefaultsDidChangeNotification
                                             object: self];
  postsAlways = [self refreshFlags];
}

- (void) notificationWasPosted: (NSNotification *)notification
{
  (void)notification;
  hasPosted = YES;
}

/* Has GNUstep read its flags again, and says whether that has posted the notification: GNUstep's own method does so
   for whatever suite is removed, and some versions of it post. So does -registerDefaults:, but with a dictionary that
   +resetStandardUserDefaults takes out of the object without its lock: another thread would use it after its end. */
- (BOOL) refreshFlags
{
  hasPosted = NO;
  [super removeSuiteNamed: @""];
  return hasPosted;
}

- (void) changed
{
  if (![self refreshFlags])
    [[NSNotificationCenter defaultCenter] postNotificationName: NSUserDefaultsDidChangeNotification object: self];
}

/* Begins a change about the notification of which the class decides. */
static void beginChange(void)
{
  isChanging = YES;
  calls = 0;
}

/* Ends it. A change by another thread may have called back on this one. */
- (void) endChange: (BOOL)isChange
{
  isChanging = NO;
  __sync_fetch_and_add(&changeCount, 1);
  if (OSDIsTakingOver)
    return;
  if (isChange || postsAlways || calls > 1)
    [self changed];
  else
    [self refreshFlags];
}

- (BOOL) synchronize
{
  if (osd_synchronize(OSDHandle) == OSD_OK)
    return YES;
  NSLog(@"NSUserDefaults: %s", osd_error_message());
  return NO;
}

// MARK: - Values

- (id) objectForKey: (NSString *)key
{
  NSEnumerator *domains;
  NSString *domain;
  id object = OSDFoundObject(key);

  if (object == nil && key != nil && OSDHasOtherValues())
    {
      domains = [[self searchList] objectEnumerator];
      while (object == nil && (domain = [domains nextObject]) != nil)
        object = [OSDOtherValues(domain) objectForKey: key];
    }
  return object;
}

- (void) setObject: (id)value forKey: (NSString *)key
{
  BOOL isChange, isObserved;
  OSDRefusal refusal;
  NSString *reason = nil;
  char *text, *name;
  id old;

  if (value == nil)
    {
      [self removeObjectForKey: key];
      return;
    }
  name = OSDCopyName(key);
  if (name == NULL || *name == 0)
    {
      free(name);
      [NSException raise: NSInvalidArgumentException format: @"attempt to set object with bad key (%@)", key];
    }
  refusal = OSDCopyTextOfPropertyList(value, &text);
  if (refusal != OSDAccepted)
    free(name);
  if (refusal == OSDNoPropertyList)
    [NSException raise: NSInvalidArgumentException
                format: @"attempt to set non property list object (%@) for key (%@)", value, key];
  if (refusal == OSDTooDeep)
    [NSException raise: NSInvalidArgumentException
                format: @"attempt to set an object with too many nested containers for key (%@)", key];

  /* As in GNUstep, a domain that is searched before does not hide what is stored. */
  old = [self objectForKey: key];
  isChange = ![old isEqual: value] || ![OSDApplicationValue(key) isEqual: value];
  isObserved = ![old isEqual: value] && ![[self class] automaticallyNotifiesObserversForKey: key];
  if (isObserved)
    [self willChangeValueForKey: key];
  beginChange();
  if (osd_set_property_list(OSDHandle, name, text) == OSD_OK)
    OSDKeepSetObject(value, key);
  else
    reason = [NSString stringWithUTF8String: osd_error_message()];
  free(name);
  NSZoneFree(NSDefaultMallocZone(), text);
  [self endChange: isChange];
  if (isObserved)
    [self didChangeValueForKey: key];
  if (reason != nil)
    [NSException raise: NSInvalidArgumentException format: @"attempt to set object for key (%@): %@", key, reason];
}

- (void) removeObjectForKey: (NSString *)key
{
  id old = [self objectForKey: key];
  BOOL isChange, isObserved;

  if (key == nil)
    return;
  isChange = old != nil && OSDApplicationValue(key) != nil;
  isObserved = isChange && ![[self class] automaticallyNotifiesObserversForKey: key];
  if (isObserved)
    [self willChangeValueForKey: key];
  beginChange();
  OSDCallWithName(osd_remove, key);
  OSDForgetObjectOfAbsentKey(key);
  [self endChange: isChange];
  if (isObserved)
    [self didChangeValueForKey: key];
}

/* The representation, made of the library's text and of the values that it does not have. */
- (NSDictionary *) makeRepresentation
{
  NSMutableDictionary *all = [NSMutableDictionary dictionary];
  NSEnumerator *domains = OSDHasOtherValues() ? [[self searchList] reverseObjectEnumerator] : nil;
  NSString *domain;
  size_t length = 0;
  char *text = NULL;

  while ((domain = [domains nextObject]) != nil)
    [all addEntriesFromDictionary: OSDOtherValues(domain)];
  if (osd_copy_representation(OSDHandle, &text, &length) == OSD_OK)
    [all addEntriesFromDictionary: OSDPropertyListOfText(text, length)];
  osd_free(text);
  return [NSDictionary dictionaryWithDictionary: all];
}

/* Kept until the next change: GNUstep asks for it whenever it formats a date. */
- (NSDictionary *) dictionaryRepresentation
{
  NSDictionary *result = nil, *former;
  unsigned long count = __sync_fetch_and_add(&changeCount, 0);

  pthread_mutex_lock(&representationLock);
  if (representationCount == count)
    result = [representation retain];
  pthread_mutex_unlock(&representationLock);
  if (result != nil)
    return [result autorelease];
  result = [self makeRepresentation];
  pthread_mutex_lock(&representationLock);
  former = representation;
  representation = [result retain];
  representationCount = count;
  pthread_mutex_unlock(&representationLock);
  /* The -dealloc of a program's object may ask for the representation. */
  [former release];
  return result;
}

/* Keeps the objects of a volatile domain that lookups find. */
static void keepSetObjects(NSDictionary *values)
{
  NSEnumerator *keys = [values keyEnumerator];
  NSString *key;

  while ((key = [keys nextObject]) != nil)
    OSDKeepSetObject([values objectForKey: key], key);
}

- (void) registerDefaults: (NSDictionary *)values
{
  NSMutableDictionary *rest = [NSMutableDictionary dictionary];
  NSDictionary *lists;
  char *text;

  [rest addEntriesFromDictionary: OSDOtherValues(NSRegistrationDomain)];
  lists = OSDPropertyListsOf(values, rest);
  OSDSetOtherValues(rest, NSRegistrationDomain);
  beginChange();
  if (OSDCopyTextOfPropertyList(lists, &text) == OSDAccepted)
    osd_register(OSDHandle, text);
  NSZoneFree(NSDefaultMallocZone(), text);
  keepSetObjects(lists);
  [self endChange: NO];
}

// MARK: - The search list

- (NSArray *) searchList
{
  return OSDCopiedNames(osd_copy_search_list);
}

- (void) setSearchList: (NSArray *)list
{
  NSUInteger count = [list count], index;
  char **names;

  if ([list isEqual: [self searchList]])
    return;
  names = calloc(count + 1, sizeof *names);
  for (index = 0; names != NULL && index < count; index++)
    names[index] = OSDCopyName([list objectAtIndex: index]);
  beginChange();
  if (names != NULL && osd_set_search_list(OSDHandle, (const char *const *)names, count) != OSD_OK)
    NSLog(@"NSUserDefaults: %s", osd_error_message());
  for (index = 0; names != NULL && index < count; index++)
    free(names[index]);
  free(names);
  [self endChange: NO];
}

- (void) addSuiteNamed: (NSString *)name
{
  if (name == nil)
    [NSException raise: NSInvalidArgumentException format: @"attempt to add suite with nil name"];
  beginChange();
  OSDCallWithName(osd_add_suite, name);
  [self endChange: NO];
}

- (void) removeSuiteNamed: (NSString *)name
{
  if (name == nil)
    [NSException raise: NSInvalidArgumentException format: @"attempt to remove suite with nil name"];
  beginChange();
  OSDCallWithName(osd_remove_suite, name);
  [self endChange: NO];
}

// MARK: - Persistent domains

- (NSArray *) persistentDomainNames
{
  return OSDCopiedNames(osd_copy_persistent_domain_names);
}

- (NSDictionary *) persistentDomainForName: (NSString *)name
{
  return OSDCopiedDomain(osd_copy_persistent_domain, name);
}

- (void) setPersistentDomain: (NSDictionary *)values forName: (NSString *)name
{
  osd_status status;

  if ([self volatileDomainForName: name] != nil)
    [NSException raise: NSInvalidArgumentException format: @"a volatile domain called %@ exists", name];
  beginChange();
  status = OSDCallWithValue(osd_set_persistent_domain, name, values == nil ? [NSDictionary dictionary] : values);
  [self endChange: status == OSD_OK];
  if (status != OSD_OK)
    [NSException raise: NSInvalidArgumentException format: @"attempt to set bad domain (%@)", name];
}

- (void) removePersistentDomainForName: (NSString *)name
{
  BOOL isChange = [self persistentDomainForName: name] != nil;

  beginChange();
  OSDCallWithName(osd_remove_persistent_domain, name);
  [self endChange: isChange];
}

// MARK: - Volatile domains

- (NSArray *) volatileDomainNames
{
  return OSDCopiedNames(osd_copy_volatile_domain_names);
}

- (NSDictionary *) volatileDomainForName: (NSString *)name
{
  NSDictionary *lists = OSDCopiedDomain(osd_copy_volatile_domain, name), *rest = OSDOtherValues(name);
  NSMutableDictionary *all;

  if (lists == nil || rest == nil)
    return lists;
  all = [[lists mutableCopy] autorelease];
  [all addEntriesFromDictionary: rest];
  return [NSDictionary dictionaryWithDictionary: all];
}

- (void) setVolatileDomain: (NSDictionary *)values forName: (NSString *)name
{
  NSMutableDictionary *rest = [NSMutableDictionary dictionary];
  NSDictionary *lists = OSDPropertyListsOf(values, rest);
  osd_status status;

  if ([self persistentDomainForName: name] != nil)
    [NSException raise: NSInvalidArgumentException format: @"a persistent domain called %@ exists", name];
  if ([self volatileDomainForName: name] != nil)
    [NSException raise: NSInvalidArgumentException format: @"the volatile domain %@ already exists", name];
  beginChange();
  status = values == nil ? OSD_BAD_ARGUMENT : OSDCallWithValue(osd_set_volatile_domain, name, lists);
  if (status == OSD_OK)
    {
      OSDSetOtherValues(rest, name);
      keepSetObjects(lists);
    }
  [self endChange: NO];
  if (status != OSD_OK)
    [NSException raise: NSInvalidArgumentException format: @"attempt to set bad domain (%@)", name];
}

- (void) removeVolatileDomainForName: (NSString *)name
{
  if (name == nil)
    return;
  OSDSetOtherValues(nil, name);
  beginChange();
  OSDCallWithName(osd_remove_volatile_domain, name);
  [self endChange: NO];
}

// MARK: - Describing

- (NSString *) description
{
  return [NSString stringWithFormat: @"<%@: %p> SearchList: %@ Contents: %@", [self class], self, [self searchList],
                   [self dictionaryRepresentation]];
}

@end
