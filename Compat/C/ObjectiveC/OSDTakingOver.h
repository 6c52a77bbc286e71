#ifndef OSD_TAKING_OVER_H
#define OSD_TAKING_OVER_H

#import "OSDKnownValues.h"
#import "OSDUserDefaults.h"
#import <objc/runtime.h>
#include <pthread.h>

/// Called by the library for every change in the process.
static void OSDLibraryHasChanged(const char *key, void *context);

@interface OSDUserDefaults (TakingOver)
/// Begins to watch GNUstep's notifications, when the object has been taken over.
- (void) beginObserving;
@end

/* The class of an object that GNUstep has made for the first call, and that nothing has changed since. */
@interface OSDNewUserDefaults : NSUserDefaults
@end

@implementation OSDNewUserDefaults
@end

/// GNUstep's own method.
static id (*OSDRealStandardUserDefaults)(id, SEL);
/// Whether this thread takes an object over: what it sets meanwhile is no change for the program.
static __thread BOOL OSDIsTakingOver;

/* Held while an object is taken over, and for these. */
static pthread_mutex_t takingOver;
static BOOL isInProgress, hasFailed;
static NSString *directory, *application;
/* Searches only the application's domain; made when it is needed. */
static osd_defaults *applicationHandle;

/// The value that the application's domain itself has for a key.
static id OSDApplicationValue(NSString *key)
{
  size_t length = 0;
  char *text, *path, *name;
  const char *list[1];
  id value = nil;

  pthread_mutex_lock(&takingOver);
  if (applicationHandle == NULL)
    {
      path = OSDCopyName(directory);
      list[0] = name = OSDCopyName(application);
      if (osd_open_gnustep(path, name, &applicationHandle) == OSD_OK)
        osd_set_search_list(applicationHandle, list, 1);
      free(name);
      free(path);
    }
  pthread_mutex_unlock(&takingOver);
  if ((text = OSDCopiedText(applicationHandle, osd_copy_property_list, key, &length)) != NULL)
    value = OSDPropertyListOfText(text, length);
  osd_free(text);
  return value;
}

static osd_status openDatabase(NSString *applicationName)
{
  static osd_observation *observation;
  NSString *root = GSDefaultsRootForUser(NSUserName());
  osd_defaults *opened = NULL;
  osd_status status;
  char *name = OSDCopyName(applicationName), *path;

  if (OSDHandle == NULL)
    {
      /* Where a Swift part has begun, its name holds. */
      osd_set_application_name(name, NULL, 0);
      status = osd_open_gnustep_standard(&opened);
    }
  else if ([root isEqual: directory])
    status = OSD_ABSENT;
  else
    {
      path = OSDCopyName(root);
      status = osd_open_gnustep(path, name, &opened);
      free(path);
    }
  if (status == OSD_OK)
    {
      osd_end_observation(observation);
      observation = NULL;
      OSDHandle = opened;
      [directory release];
      directory = [root copy];
      applicationHandle = NULL;
      osd_observe_all(OSDHandle, OSDLibraryHasChanged, NULL, NULL, &observation);
    }
  free(name);
  return status == OSD_ABSENT ? OSD_OK : status;
}

/* Gives the library the volatile domains and the search list of an object that GNUstep has just made. The arguments
   and the configuration are its own. What a Swift part has added before stays there, unless the object is made anew. */
static void takeOverDomains(NSUserDefaults *defaults, NSDictionary *registered, NSArray *list, BOOL isAnew)
{
  NSArray *kept = [NSArray arrayWithObjects: NSArgumentDomain, GSConfigDomain, NSRegistrationDomain, nil];
  NSMutableDictionary *domains = [NSMutableDictionary dictionary];
  NSEnumerator *names = [[defaults volatileDomainNames] objectEnumerator];
  NSString *name;

  while ((name = [names nextObject]) != nil)
    if (![kept containsObject: name])
      [domains setObject: [defaults volatileDomainForName: name] forKey: name];
  object_setClass(defaults, [OSDUserDefaults class]);
  names = [[defaults volatileDomainNames] objectEnumerator];
  while ((name = [names nextObject]) != nil)
    if (![kept containsObject: name]
        && (isAnew || [list containsObject: name] || [domains objectForKey: name] != nil))
      [defaults removeVolatileDomainForName: name];
  names = [domains keyEnumerator];
  while ((name = [names nextObject]) != nil)
    [defaults setVolatileDomain: [domains objectForKey: name] forName: name];
  [defaults registerDefaults: registered];
  if (isAnew || ![[NSSet setWithArray: list] isSubsetOfSet: [NSSet setWithArray: [defaults searchList]]])
    [defaults setSearchList: list];
}

/* The name of the application's domain, which a standard search list has behind the arguments. */
static NSString *applicationIn(NSArray *list)
{
  NSUInteger index = [list indexOfObject: NSArgumentDomain];

  return index == NSNotFound || index + 1 >= [list count] ? nil : [list objectAtIndex: index + 1];
}

/* Makes an object of GNUstep's class one of this class. */
static void takeOver(NSUserDefaults *defaults)
{
  NSMutableArray *list = [[[defaults searchList] mutableCopy] autorelease];
  NSString *name = applicationIn(list), *used;
  NSMutableDictionary *registered = [NSMutableDictionary dictionary];
  BOOL isAnew = OSDHandle != NULL;

  if (isAnew)
    {
      [registered addEntriesFromDictionary: OSDCopiedDomain(osd_copy_volatile_domain, NSRegistrationDomain)];
      [registered addEntriesFromDictionary: OSDOtherValues(NSRegistrationDomain)];
    }
  [registered addEntriesFromDictionary: [defaults volatileDomainForName: NSRegistrationDomain]];
  if (openDatabase(name) != OSD_OK)
    {
      fprintf(stderr, "OSDUserDefaults: %s; the defaults stay GNUstep's\n", osd_error_message());
      hasFailed = YES;
      return;
    }
  /* A Swift part may have opened the database under another name. */
  used = application == nil ? applicationIn(OSDCopiedNames(osd_copy_search_list)) : application;
  if (application == nil && used != nil)
    application = [used copy];
  if (name != nil && used != nil)
    [list replaceObjectAtIndex: [list indexOfObject: name] withObject: used];
  /* GNUstep itself saves what code that ran before this class was loaded has set: it knows which keys these are. */
  if (object_getClass(defaults) == [NSUserDefaults class]
      && ![[defaults persistentDomainForName: name] isEqual: OSDCopiedDomain(osd_copy_persistent_domain, name)])
    {
      [defaults synchronize];
      osd_synchronize(OSDHandle);
    }
  takeOverDomains(defaults, registered, list, isAnew);
  [(OSDUserDefaults *)defaults beginObserving];
}

/* Whether an object is GNUstep's own, and no subclass's of the program. */
static BOOL isGNUsteps(id defaults)
{
  Class class = object_getClass(defaults);

  return class == [NSUserDefaults class] || class == [OSDNewUserDefaults class];
}

/* The new +[NSUserDefaults standardUserDefaults]. */
static id standardUserDefaults(id self, SEL selector)
{
  static __thread unsigned depth;
  NSUserDefaults *defaults;

  depth++;
  @try
    {
      defaults = OSDRealStandardUserDefaults(self == [NSUserDefaults class] ? [OSDNewUserDefaults class] : self,
                                             selector);
    }
  @finally
    {
      depth--;
    }
  /* While GNUstep makes the object it asks for it, and so does this class while it takes it over: they get it as far
     as it is. Another thread waits. */
  if (depth > 0 || OSDIsTakingOver || hasFailed || defaults == nil || (!isInProgress && !isGNUsteps(defaults)))
    return defaults;
  pthread_mutex_lock(&takingOver);
  @try
    {
      if (isGNUsteps(defaults))
        {
          NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];

          OSDIsTakingOver = isInProgress = YES;
          takeOver(defaults);
          [pool release];
        }
    }
  @finally
    {
      OSDIsTakingOver = isInProgress = NO;
      pthread_mutex_unlock(&takingOver);
    }
  return defaults;
}

/// Replaces `+[NSUserDefaults standardUserDefaults]`.
static void OSDReplaceStandardUserDefaults(void)
{
  Method method = class_getClassMethod(objc_getClass("NSUserDefaults"), @selector(standardUserDefaults));
  pthread_mutexattr_t recursive;

  pthread_mutexattr_init(&recursive);
  pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&takingOver, &recursive);
  pthread_mutexattr_destroy(&recursive);
  OSDRealStandardUserDefaults = (id (*)(id, SEL))method_setImplementation(method, (IMP)standardUserDefaults);
}

#endif
