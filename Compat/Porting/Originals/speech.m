/* speech: settings by owner and name, all of them text, as NeXT's functions had them.

     speech show                     prints the settings
     speech write OWNER NAME TEXT    writes one
     speech remove OWNER NAME        removes one
     speech later OWNER NAME TEXT    sets one for this process only, and prints
     speech -Name TEXT …             sets one for this process, of every owner

   The pattern of gnuspeech's and DoomEd's NX calls: a vector of names and default values for each owner, C strings
   as results, colours as three numbers in a text. The functions stand here on top of NSUserDefaults. */

#import <Foundation/Foundation.h>
#include <stdio.h>
#include <string.h>

typedef struct
{
  const char *name, *value;
} NXDefault;

static NSMutableDictionary *registered, *set;

static NSString *string(const char *text)
{
  return [NSString stringWithUTF8String: text];
}

static void NXRegisterDefaults(const char *owner, const NXDefault *vector)
{
  NSMutableDictionary *values = [NSMutableDictionary dictionary];

  for (; vector->name != NULL; vector++)
    [values setObject: string(vector->value) forKey: string(vector->name)];
  [registered setObject: values forKey: string(owner)];
}

/* What is written for the owner, or for all. */
static const char *NXReadDefault(const char *owner, const char *name)
{
  NSUserDefaults *defaults = [NSUserDefaults standardUserDefaults];
  id value = [[defaults persistentDomainForName: string(owner)] objectForKey: string(name)];

  if (value == nil)
    value = [[defaults persistentDomainForName: NSGlobalDomain] objectForKey: string(name)];
  return [value UTF8String];
}

static const char *NXGetDefaultValue(const char *owner, const char *name)
{
  id value = [[[NSUserDefaults standardUserDefaults] volatileDomainForName: NSArgumentDomain]
    objectForKey: string(name)];

  if (value == nil)
    value = [[set objectForKey: string(owner)] objectForKey: string(name)];
  if (value != nil)
    return [value UTF8String];
  if (NXReadDefault(owner, name) != NULL)
    return NXReadDefault(owner, name);
  return [[[registered objectForKey: string(owner)] objectForKey: string(name)] UTF8String];
}

static void NXSetDefault(const char *owner, const char *name, const char *value)
{
  NSMutableDictionary *values = [NSMutableDictionary dictionaryWithDictionary: [set objectForKey: string(owner)]];

  [values setObject: string(value) forKey: string(name)];
  [set setObject: values forKey: string(owner)];
}

static int change(const char *owner, const char *name, const char *value)
{
  NSUserDefaults *defaults = [NSUserDefaults standardUserDefaults];
  NSMutableDictionary *domain = [NSMutableDictionary dictionary];

  [domain addEntriesFromDictionary: [defaults persistentDomainForName: string(owner)]];
  if (value != NULL)
    [domain setObject: string(value) forKey: string(name)];
  else
    [domain removeObjectForKey: string(name)];
  [defaults setPersistentDomain: domain forName: string(owner)];
  return [defaults synchronize];
}

static int NXWriteDefault(const char *owner, const char *name, const char *value)
{
  return change(owner, name, value);
}

static int NXRemoveDefault(const char *owner, const char *name)
{
  return change(owner, name, NULL);
}

static const NXDefault speechDefaults[]
  = { { "SpeakLogin", "YES" }, { "Voice", "male" }, { "Rate", "1.25" }, { NULL, NULL } };
static const NXDefault editorDefaults[]
  = { { "Voice", "none" }, { "Grid", "0.8:0.8:0.8" }, { "Launch", "1" }, { NULL, NULL } };

static void show(void)
{
  float red, green, blue;

  printf("speech: login %s, voice %s, rate %g\n",
    strcmp(NXGetDefaultValue("Speech", "SpeakLogin"), "NO") != 0 ? "spoken" : "silent",
    NXGetDefaultValue("Speech", "Voice"), atof(NXGetDefaultValue("Speech", "Rate")));
  sscanf(NXGetDefaultValue("Map Editor", "Grid"), "%f:%f:%f", &red, &green, &blue);
  printf("editor: voice %s, grid %1.2f:%1.2f:%1.2f, launch %d\n", NXGetDefaultValue("Map Editor", "Voice"),
    red, green, blue, atoi(NXGetDefaultValue("Map Editor", "Launch")));
  printf("written: %s\n", NXReadDefault("Speech", "Voice"));
}

int main(int argc, char **argv)
{
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  int status = 1;

  registered = [NSMutableDictionary new];
  set = [NSMutableDictionary new];
  NXRegisterDefaults("Speech", speechDefaults);
  NXRegisterDefaults("Map Editor", editorDefaults);
  if (strcmp(argv[1], "write") == 0)
    status = NXWriteDefault(argv[2], argv[3], argv[4]);
  else if (strcmp(argv[1], "remove") == 0)
    status = NXRemoveDefault(argv[2], argv[3]);
  else if (strcmp(argv[1], "later") == 0)
    NXSetDefault(argv[2], argv[3], argv[4]);
  show();
  [registered release];
  [set release];
  [pool release];
  return status == 1 ? 0 : 1;
}
