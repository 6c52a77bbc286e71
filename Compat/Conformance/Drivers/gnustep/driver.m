/* Driver of GNUstep base for the atlas: performs the steps that it is sent
   with the classic class, NSUserDefaults, and parses texts.

   Every string passes through a small JSON reader and writer of its own,
   as UTF-16 units, so that what is asked is the class and not the library's
   JSON or its encodings.
 */
#import <Foundation/Foundation.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---------------------------------------------------------------- values */

static NSString *number_text(double v, int isFloat)
{
  char buf[64];
  int digits;

  if (isnan(v)) return @"nan";
  if (isinf(v)) return v < 0 ? @"-inf" : @"inf";
  for (digits = isFloat ? 6 : 15; digits < 18; digits++)
    {
      snprintf(buf, sizeof buf, "%.*g", digits, v);
      if (isFloat ? (strtof(buf, NULL) == (float)v) : (strtod(buf, NULL) == v))
        break;
    }
  return [NSString stringWithUTF8String: buf];
}

static NSDictionary *tagged(NSString *tag, id value)
{
  return [NSDictionary dictionaryWithObject: value forKey: tag];
}

/* Dates are written "2001-01-01T00:00:00Z", with ".250" and the like before
   the Z when there is a fraction of a second. */
static NSDate *date_from(NSString *text)
{
  struct tm tm;
  double seconds = 0;

  memset(&tm, 0, sizeof tm);
  if (sscanf([text UTF8String], "%d-%d-%dT%d:%d:%lfZ", &tm.tm_year, &tm.tm_mon,
    &tm.tm_mday, &tm.tm_hour, &tm.tm_min, &seconds) != 6)
    return nil;
  tm.tm_year -= 1900;
  tm.tm_mon -= 1;
  return [NSDate dateWithTimeIntervalSince1970: (double)timegm(&tm) + seconds];
}

static NSString *text_from(NSDate *date)
{
  double t = [date timeIntervalSince1970];
  time_t whole = (time_t)floor(t);
  int milli = (int)floor((t - (double)whole) * 1000 + 0.5);
  struct tm tm;
  char buf[64];

  if (milli == 1000)
    {
      milli = 0;
      whole++;
    }
  gmtime_r(&whole, &tm);
  strftime(buf, sizeof buf, "%Y-%m-%dT%H:%M:%S", &tm);
  if (milli)
    return [NSString stringWithFormat: @"%s.%03dZ", buf, milli];
  return [NSString stringWithFormat: @"%sZ", buf];
}

/* JSON notation -> property list object (or deliberately not one). */
static id decode(id j)
{
  if (j == nil || j == (id)[NSNull null])
    return nil;
  if ([j isKindOfClass: [NSString class]])
    return j;
  if ([j isKindOfClass: [NSArray class]])
    {
      NSMutableArray *a = [NSMutableArray array];
      NSEnumerator *e = [j objectEnumerator];
      id o;

      while ((o = [e nextObject]) != nil)
        [a addObject: decode(o)];
      return a;
    }
  if ([j isKindOfClass: [NSDictionary class]] && [j count] == 1)
    {
      NSString *tag = [[j allKeys] objectAtIndex: 0];
      id v = [j objectForKey: tag];
      const char *s = [v isKindOfClass: [NSString class]] ? [v UTF8String] : "";

      if ([tag isEqual: @"i"])
        {
          long long n;

          errno = 0;
          n = strtoll(s, NULL, 10);
          if (errno == ERANGE)
            return [NSNumber numberWithUnsignedLongLong: strtoull(s, NULL, 10)];
          return [NSNumber numberWithLongLong: n];
        }
      if ([tag isEqual: @"r"])
        return [NSNumber numberWithDouble: strtod(s, NULL)];
      if ([tag isEqual: @"f"])
        return [NSNumber numberWithFloat: strtof(s, NULL)];
      if ([tag isEqual: @"b"])
        return [NSNumber numberWithBool: [v boolValue]];
      if ([tag isEqual: @"x"])
        {
          NSMutableData *d = [NSMutableData data];

          for (; s[0] && s[1]; s += 2)
            {
              unsigned b = 0;
              unsigned char c;

              sscanf(s, "%2x", &b);
              c = (unsigned char)b;
              [d appendBytes: &c length: 1];
            }
          return d;
        }
      if ([tag isEqual: @"t"])
        return date_from(v);
      if ([tag isEqual: @"u"])
        return [NSURL URLWithString: v];
      if ([tag isEqual: @"o"])
        {
          if ([v isEqual: @"NSNull"])
            return [NSNull null];
          return [[NSClassFromString(v) new] autorelease];
        }
      if ([tag isEqual: @"d"])
        {
          NSMutableDictionary *d = [NSMutableDictionary dictionary];
          NSEnumerator *e = [v keyEnumerator];
          id k;

          while ((k = [e nextObject]) != nil)
            [d setObject: decode([v objectForKey: k]) forKey: k];
          return d;
        }
    }
  [NSException raise: NSGenericException format: @"bad value %@", j];
  return nil;
}

/* object -> JSON notation */
static id encode(id o)
{
  if (o == nil)
    return [NSNull null];
  if ([o isKindOfClass: [NSString class]])
    return o;
  if ([o isKindOfClass: [NSNumber class]])
    {
      const char *t = [o objCType];
      NSRange r = [NSStringFromClass([o class]) rangeOfString: @"Bool"];

      if (r.length > 0)
        return tagged(@"b", [NSNumber numberWithBool: [o boolValue]]);
      if (*t == 'd')
        return tagged(@"r", number_text([o doubleValue], 0));
      if (*t == 'f')
        return tagged(@"f", number_text([o floatValue], 1));
      return tagged(@"i", [o stringValue]);
    }
  if ([o isKindOfClass: [NSData class]])
    {
      NSMutableString *s = [NSMutableString string];
      const unsigned char *p = [o bytes];
      NSUInteger n = [o length], i;

      for (i = 0; i < n; i++)
        [s appendFormat: @"%02x", p[i]];
      return tagged(@"x", s);
    }
  if ([o isKindOfClass: [NSDate class]])
    return tagged(@"t", text_from(o));
  if ([o isKindOfClass: [NSURL class]])
    return tagged(@"u", [o absoluteString]);
  if ([o isKindOfClass: [NSArray class]])
    {
      NSMutableArray *a = [NSMutableArray array];
      NSEnumerator *e = [o objectEnumerator];
      id x;

      while ((x = [e nextObject]) != nil)
        [a addObject: encode(x)];
      return a;
    }
  if ([o isKindOfClass: [NSDictionary class]])
    {
      NSMutableDictionary *d = [NSMutableDictionary dictionary];
      NSEnumerator *e = [o keyEnumerator];
      id k;

      while ((k = [e nextObject]) != nil)
        [d setObject: encode([o objectForKey: k]) forKey: [k description]];
      return tagged(@"d", d);
    }
  return tagged(@"o", NSStringFromClass([o class]));
}

/* ------------------------------------------------------------------ JSON */

static void put(NSMutableString *out, id o)
{
  if (o == nil || o == (id)[NSNull null])
    [out appendString: @"null"];
  else if ([o isKindOfClass: [NSString class]])
    {
      NSUInteger n = [o length], i;

      [out appendString: @"\""];
      for (i = 0; i < n; i++)
        {
          unichar c = [o characterAtIndex: i];

          if (c == '"' || c == '\\')
            [out appendFormat: @"\\%c", (char)c];
          else if (c < 32 || c > 126)
            [out appendFormat: @"\\u%04x", (unsigned)c];
          else
            [out appendFormat: @"%c", (char)c];
        }
      [out appendString: @"\""];
    }
  else if ([o isKindOfClass: [NSNumber class]])
    {
      if ([NSStringFromClass([o class]) rangeOfString: @"Bool"].length > 0)
        [out appendString: [o boolValue] ? @"true" : @"false"];
      else
        [out appendString: [o stringValue]];
    }
  else if ([o isKindOfClass: [NSArray class]])
    {
      NSUInteger n = [o count], i;

      [out appendString: @"["];
      for (i = 0; i < n; i++)
        {
          if (i > 0) [out appendString: @","];
          put(out, [o objectAtIndex: i]);
        }
      [out appendString: @"]"];
    }
  else
    {
      NSArray *keys = [[o allKeys] sortedArrayUsingSelector: @selector(compare:)];
      NSUInteger n = [keys count], i;

      [out appendString: @"{"];
      for (i = 0; i < n; i++)
        {
          if (i > 0) [out appendString: @","];
          put(out, [keys objectAtIndex: i]);
          [out appendString: @":"];
          put(out, [o objectForKey: [keys objectAtIndex: i]]);
        }
      [out appendString: @"}"];
    }
}

static NSString *json(id o)
{
  NSMutableString *out = [NSMutableString string];

  put(out, o);
  return out;
}

/* UTF-8 or \u escapes in, UTF-16 units out; answers nil on bad input. */
static id get(const unsigned char **p);

static void skip(const unsigned char **p)
{
  while (**p == ' ' || **p == '\t' || **p == '\n' || **p == '\r' || **p == ',' || **p == ':')
    (*p)++;
}

static void unit(NSMutableData *d, unsigned c)
{
  unichar u = (unichar)c;

  [d appendBytes: &u length: sizeof u];
}

static NSString *getString(const unsigned char **p)
{
  NSMutableData *d = [NSMutableData data];

  for ((*p)++; **p && **p != '"'; )
    {
      unsigned c = *(*p)++;
      int more = c < 0x80 ? 0 : c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;

      if (c == '\\')
        {
          c = *(*p)++;
          if (c == 'u')
            {
              sscanf((const char*)*p, "%4x", &c);
              *p += 4;
            }
          else if (c == 'n') c = '\n';
          else if (c == 't') c = '\t';
          else if (c == 'r') c = '\r';
          else if (c == 'b') c = '\b';
          else if (c == 'f') c = '\f';
          unit(d, c);
          continue;
        }
      if (more)
        for (c &= 0x3f >> more; more > 0; more--)
          c = (c << 6) | (*(*p)++ & 0x3f);
      if (c > 0xffff)
        {
          unit(d, 0xd800 + ((c - 0x10000) >> 10));
          c = 0xdc00 + ((c - 0x10000) & 0x3ff);
        }
      unit(d, c);
    }
  if (**p) (*p)++;
  {
    NSString *s = [NSString stringWithCharacters: (const unichar*)[d bytes]
                                          length: [d length] / sizeof(unichar)];
    unichar bad = 0xfffd;

    /* the library refuses unpaired surrogates */
    return s ? s : [NSString stringWithCharacters: &bad length: 1];
  }
}

static id get(const unsigned char **p)
{
  skip(p);
  if (**p == '"')
    return getString(p);
  if (**p == '[')
    {
      NSMutableArray *a = [NSMutableArray array];

      for ((*p)++, skip(p); **p && **p != ']'; skip(p))
        [a addObject: get(p)];
      if (**p) (*p)++;
      return a;
    }
  if (**p == '{')
    {
      NSMutableDictionary *d = [NSMutableDictionary dictionary];

      for ((*p)++, skip(p); **p && **p != '}'; skip(p))
        {
          NSString *k = get(p);

          [d setObject: get(p) forKey: k];
        }
      if (**p) (*p)++;
      return d;
    }
  if (**p == 't') { *p += 4; return [NSNumber numberWithBool: YES]; }
  if (**p == 'f') { *p += 5; return [NSNumber numberWithBool: NO]; }
  if (**p == 'n') { *p += 4; return [NSNull null]; }
  {
    char *end;
    double v = strtod((const char*)*p, &end);

    if (end == (const char*)*p)
      {
        (*p)++;
        return [NSNull null];
      }
    *p = (const unsigned char*)end;
    return [NSNumber numberWithDouble: v];
  }
}


/* ----------------------------------------------------------------- steps */

@interface Counter : NSObject
{
@public
  int changes;
  int oldName;
  NSDictionary *last;
  NSUserDefaults *receiver;
}
- (void) changed: (NSNotification*)n;
- (void) oldChanged: (NSNotification*)n;
@end

@implementation Counter
- (void) changed: (NSNotification*)n
{
  NSString *who = @"other";

  if ([n object] == nil)
    who = @"nil";
  else if ([n object] == receiver)
    who = @"receiver";
  changes++;
  [last release];
  last = [[NSDictionary alloc] initWithObjectsAndKeys:
    [n name], @"name", who, @"object",
    encode([n userInfo]), @"userInfo",
    [NSThread isMainThread] ? @"main" : @"other", @"thread", nil];
}
- (void) oldChanged: (NSNotification*)n
{
  oldName++;
}
@end

static id absent(void)
{
  return tagged(@"absent", [NSNumber numberWithBool: YES]);
}

static id done(void)
{
  return tagged(@"ok", [NSNumber numberWithBool: YES]);
}

static NSArray *sorted(NSArray *a)
{
  return [a sortedArrayUsingSelector: @selector(compare:)];
}

static NSUserDefaults *defs;
static Counter *counter;

static id perform(NSArray *step)
{
  NSString *op = [step objectAtIndex: 0];
  id a = [step count] > 1 ? [step objectAtIndex: 1] : nil;
  id b = [step count] > 2 ? [step objectAtIndex: 2] : nil;

  /* which object */
  if ([op isEqual: @"use"])
    {
      if ([a isEqual: @"standard"])
        defs = [NSUserDefaults standardUserDefaults];
      else if ([a isEqual: @"init"])
        defs = [[NSUserDefaults alloc] init];
      else if ([a hasPrefix: @"user:"])
        defs = [[NSUserDefaults alloc] initWithUser: [a substringFromIndex: 5]];
      else
        return absent();
      if (defs == nil)
        return tagged(@"noObject", [NSNumber numberWithBool: YES]);
      if (counter != nil)
        counter->receiver = defs;
      return done();
    }
  if (defs == nil)
    defs = [NSUserDefaults standardUserDefaults];

  /* setting */
  if ([op isEqual: @"set"])
    { [defs setObject: decode(b) forKey: a]; return done(); }
  if ([op isEqual: @"setBool"])
    { [defs setBool: [b boolValue] forKey: a]; return done(); }
  if ([op isEqual: @"setInteger"])
    { [defs setInteger: strtol([b UTF8String], NULL, 10) forKey: a]; return done(); }
  if ([op isEqual: @"setFloat"])
    { [defs setFloat: strtof([b UTF8String], NULL) forKey: a]; return done(); }
  if ([op isEqual: @"setDouble"])
    { [defs setDouble: strtod([b UTF8String], NULL) forKey: a]; return done(); }
  if ([op isEqual: @"remove"])
    { [defs removeObjectForKey: a]; return done(); }
  if ([op isEqual: @"register"])
    { [defs registerDefaults: decode(a)]; return done(); }
  if ([op isEqual: @"setVolatile"])
    { [defs setVolatileDomain: decode(b) forName: a]; return done(); }
  if ([op isEqual: @"removeVolatile"])
    { [defs removeVolatileDomainForName: a]; return done(); }
  if ([op isEqual: @"setPersistent"])
    { [defs setPersistentDomain: decode(b) forName: a]; return done(); }
  if ([op isEqual: @"removePersistent"])
    { [defs removePersistentDomainForName: a]; return done(); }
  if ([op isEqual: @"setSearchList"])
    { [defs setSearchList: a]; return done(); }
  if ([op isEqual: @"addSuite"])
    { [defs addSuiteNamed: a]; return done(); }
  if ([op isEqual: @"removeSuite"])
    { [defs removeSuiteNamed: a]; return done(); }
  if ([op isEqual: @"sync"])
    { return tagged(@"b", [NSNumber numberWithBool: [defs synchronize]]); }
  if ([op isEqual: @"reset"])
    {
      [NSUserDefaults resetStandardUserDefaults];
      defs = [NSUserDefaults standardUserDefaults];
      return done();
    }

  /* control */
  if ([op isEqual: @"observe"])
    {
      if (counter == nil)
        {
          counter = [Counter new];
          [[NSNotificationCenter defaultCenter] addObserver: counter
            selector: @selector(changed:)
                name: NSUserDefaultsDidChangeNotification object: nil];
          [[NSNotificationCenter defaultCenter] addObserver: counter
            selector: @selector(oldChanged:)
                name: @"NSUserDefaultsChanged" object: nil];
        }
      counter->receiver = defs;
      counter->changes = 0;
      counter->oldName = 0;
      return done();
    }
  if ([op isEqual: @"sleep"])
    {
      /* turn the run loop, so that timers and housekeeping can fire */
      [[NSRunLoop currentRunLoop] runUntilDate:
        [NSDate dateWithTimeIntervalSinceNow: [a doubleValue]]];
      return done();
    }
  /* reading */
  if ([op isEqual: @"object"])
    return encode([defs objectForKey: a]);
  if ([op isEqual: @"bool"])
    return tagged(@"b", [NSNumber numberWithBool: [defs boolForKey: a]]);
  if ([op isEqual: @"integer"])
    return tagged(@"i", [NSString stringWithFormat: @"%ld", (long)[defs integerForKey: a]]);
  if ([op isEqual: @"float"])
    return tagged(@"f", number_text([defs floatForKey: a], 1));
  if ([op isEqual: @"double"])
    return tagged(@"r", number_text([defs doubleForKey: a], 0));
  if ([op isEqual: @"string"])
    return encode([defs stringForKey: a]);
  if ([op isEqual: @"stringArray"])
    return encode([defs stringArrayForKey: a]);
  if ([op isEqual: @"array"])
    return encode([defs arrayForKey: a]);
  if ([op isEqual: @"dictionary"])
    return encode([defs dictionaryForKey: a]);
  if ([op isEqual: @"data"])
    return encode([defs dataForKey: a]);
  if ([op isEqual: @"searchList"])
    return encode([defs searchList]);
  if ([op isEqual: @"representation"])
    return encode([[defs dictionaryRepresentation] objectForKey: a]);
  if ([op isEqual: @"representationKeys"])
    return encode(sorted([[defs dictionaryRepresentation] allKeys]));
  if ([op isEqual: @"persistentDomain"])
    return encode([defs persistentDomainForName: a]);
  if ([op isEqual: @"persistentDomainNames"])
    return encode(sorted([defs persistentDomainNames]));
  if ([op isEqual: @"volatileDomain"])
    return encode([defs volatileDomainForName: a]);
  if ([op isEqual: @"volatileKey"])
    return encode([[defs volatileDomainForName: a] objectForKey: b]);
  if ([op isEqual: @"volatileDomainNames"])
    return encode(sorted([defs volatileDomainNames]));
  if ([op isEqual: @"notifications"])
    return tagged(@"n", [NSNumber numberWithInt: counter ? counter->changes : 0]);
  if ([op isEqual: @"oldNotifications"])
    return tagged(@"n", [NSNumber numberWithInt: counter ? counter->oldName : 0]);
  if ([op isEqual: @"lastNotification"])
    return counter && counter->last ? tagged(@"d", counter->last) : (id)[NSNull null];
  return absent();   /* url, setURL, cast, isForced, observeKey, as ... */
}

static id outcomeOfStep(NSArray *step)
{
  id outcome = nil;

  NS_DURING
    outcome = perform(step);
  NS_HANDLER
    fprintf(stderr, "%s\n", [[localException reason] UTF8String]);
    outcome = tagged(@"raises", [localException name]);
  NS_ENDHANDLER
  return outcome;
}

/* ----------------------------------------------------------------- texts */

/* Whether a string has half of a surrogate pair. */
static BOOL isBroken(NSString *s)
{
  NSUInteger n = [s length], i;

  for (i = 0; i < n; i++)
    {
      unichar c = [s characterAtIndex: i];

      if (c >= 0xd800 && c < 0xdc00 && i + 1 < n
        && [s characterAtIndex: i + 1] >= 0xdc00
        && [s characterAtIndex: i + 1] < 0xe000)
        i++;
      else if (c >= 0xd800 && c < 0xe000)
        return YES;
    }
  return NO;
}

/* An object of a property list in the notation of texts. */
static id textNotation(id o)
{
  if ([o isKindOfClass: [NSString class]])
    {
      NSMutableString *s;
      NSUInteger n = [o length], i;

      if (!isBroken(o))
        return tagged(@"s", o);
      s = [NSMutableString string];
      for (i = 0; i < n; i++)
        [s appendFormat: @"%04x", (unsigned)[o characterAtIndex: i]];
      return tagged(@"u16", s);
    }
  if ([o isKindOfClass: [NSArray class]])
    {
      NSMutableArray *a = [NSMutableArray array];
      NSEnumerator *e = [o objectEnumerator];
      id x;

      while ((x = [e nextObject]) != nil)
        [a addObject: textNotation(x)];
      return tagged(@"a", a);
    }
  if ([o isKindOfClass: [NSDictionary class]])
    {
      NSMutableDictionary *d = [NSMutableDictionary dictionary];
      NSEnumerator *e = [o keyEnumerator];
      id k;

      while ((k = [e nextObject]) != nil)
        {
          NSString *name = [k description];

          if (isBroken(name))
            name = @"half of a surrogate pair";
          [d setObject: textNotation([o objectForKey: k]) forKey: name];
        }
      return tagged(@"o", d);
    }
  else
    {
      NSDictionary *d = encode(o);
      NSString *tag = [[d allKeys] objectAtIndex: 0];
      id value = [d objectForKey: tag];
      NSDictionary *names = [NSDictionary dictionaryWithObjectsAndKeys:
        @"d", @"x", @"int", @"i", @"real", @"r", @"real", @"f",
        @"bool", @"b", @"date", @"t", nil];

      return tagged([names objectForKey: tag] ? [names objectForKey: tag] : tag, value);
    }
}

static NSData *dataFromBase64(NSString *text)
{
  static const char digits[]
    = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  NSMutableData *d = [NSMutableData data];
  const char *s = [text UTF8String];
  unsigned bits = 0;
  int count = 0;

  for (; *s && *s != '='; s++)
    {
      const char *place = strchr(digits, *s);

      if (place == NULL)
        continue;
      bits = bits << 6 | (unsigned)(place - digits);
      count += 6;
      if (count >= 8)
        {
          unsigned char byte = (unsigned char)(bits >> (count -= 8));

          [d appendBytes: &byte length: 1];
        }
    }
  return d;
}

static id outcomeOfText(NSString *base64)
{
  id outcome = nil;

  NS_DURING
    {
      NSString *error = nil;
      NSPropertyListFormat format;
      id value = [NSPropertyListSerialization
        propertyListFromData: dataFromBase64(base64)
            mutabilityOption: NSPropertyListImmutable
                      format: &format
            errorDescription: &error];

      if (value != nil)
        outcome = tagged(@"value", textNotation(value));
      else
        outcome = tagged(@"error", error != nil ? error : @"no value");
    }
  NS_HANDLER
    outcome = tagged(@"error", [localException name]);
  NS_ENDHANDLER
  return outcome;
}

/* -------------------------------------------------------------- messages */

int main(void)
{
  /* Lives as long as the process: observers and objects must not be freed. */
  NSAutoreleasePool *outer = [NSAutoreleasePool new];
  char *line = NULL;
  size_t room = 0;

  while (getline(&line, &room, stdin) > 0)
    {
      NSAutoreleasePool *pool = [NSAutoreleasePool new];
      const unsigned char *p = (const unsigned char*)line;
      NSDictionary *message = get(&p);
      NSString *what = [message objectForKey: @"do"];
      NSMutableDictionary *reply = [NSMutableDictionary dictionary];

      if ([what isEqual: @"end"])
        break;
      if ([what isEqual: @"hello"])
        {
          [reply setObject: [NSNumber numberWithInt: 1] forKey: @"protocol"];
          [reply setObject: @"GNUstep base" forKey: @"name"];
          [reply setObject: [NSString stringWithFormat: @"%d.%d.%d",
            GNUSTEP_BASE_MAJOR_VERSION, GNUSTEP_BASE_MINOR_VERSION,
            GNUSTEP_BASE_SUBMINOR_VERSION] forKey: @"version"];
        }
      else
        {
          [reply setObject: [message objectForKey: @"n"] forKey: @"n"];
          if ([what isEqual: @"parse"])
            [reply setObject: outcomeOfText([message objectForKey: @"base64"])
                      forKey: @"outcome"];
          else
            [reply setObject: outcomeOfStep([message objectForKey: @"step"])
                      forKey: @"outcome"];
        }
      printf("%s\n", [json(reply) UTF8String]);
      fflush(stdout);
      [pool release];
    }
  [outer release];
  return 0;
}
