#import "EditorPreferences.h"
#include <stdio.h>

static EditorPreferences *shared;

static NSString *const fontKey = @"Font";
static NSString *const fontSizeKey = @"FontSize";
static NSString *const wrapsKey = @"WrapsLines";
static NSString *const tabKey = @"TabWidth";
static NSString *const coloursKey = @"Colours";
static NSString *const recentKey = @"RecentFiles";
static NSString *const modesKey = @"Modes";
static NSString *const frameKey = @"WindowFrame";

@implementation EditorPreferences

+ (void) initialize
{
  NSDictionary *colours, *values;

  if (self != [EditorPreferences class])
    return;
  colours = [NSDictionary dictionaryWithObjectsAndKeys: [NSArray arrayWithObjects: @"0", @"0", @"0", nil], @"Text",
    [NSArray arrayWithObjects: @"1", @"1", @"0.9", nil], @"Paper", nil];
  values = [NSDictionary dictionaryWithObjectsAndKeys: @"Courier", fontKey, [NSNumber numberWithFloat: 12.0],
    fontSizeKey, @"YES", wrapsKey, @"8", tabKey, colours, coloursKey, [NSArray array], recentKey,
    [NSDictionary dictionary], modesKey, nil];
  [[NSUserDefaults standardUserDefaults] registerDefaults: values];
}

+ (EditorPreferences *) sharedPreferences
{
  if (shared == nil)
    shared = [[self alloc] init];
  return shared;
}

- (id) init
{
  if ((self = [super init]) != nil)
    {
      NSString *old;

      /* Not retained: the object is there as long as the program. */
      defaults = [NSUserDefaults standardUserDefaults];
      [[NSNotificationCenter defaultCenter] addObserver: self
                                               selector: @selector(defaultsDidChange:)
                                                   name: NSUserDefaultsDidChangeNotification
                                                 object: defaults];
      /* A name of an earlier version. */
      if ((old = [defaults stringForKey: @"NXFixedPitchFont"]) != nil)
        {
          [defaults setObject: old forKey: fontKey];
          [defaults removeObjectForKey: @"NXFixedPitchFont"];
        }
      recentFiles = [[defaults arrayForKey: recentKey] mutableCopy];
    }
  return self;
}

- (void) dealloc
{
  [[NSNotificationCenter defaultCenter] removeObserver: self];
  [recentFiles release];
  [super dealloc];
}

- (void) defaultsDidChange: (NSNotification *)notification
{
  if ([notification object] == defaults)
    changeCount++;
}

- (NSString *) fontName
{
  return [defaults stringForKey: fontKey];
}

- (float) fontSize
{
  float size = [defaults floatForKey: fontSizeKey];

  return size < 4 ? 4 : size;
}

- (void) setFontName: (NSString *)name size: (float)size
{
  [defaults setObject: name forKey: fontKey];
  [defaults setFloat: size forKey: fontSizeKey];
}

- (BOOL) wrapsLines
{
  return [defaults boolForKey: wrapsKey];
}

- (void) setWrapsLines: (BOOL)flag
{
  [defaults setBool: flag forKey: wrapsKey];
}

- (NSInteger) tabWidth
{
  return [defaults integerForKey: tabKey];
}

- (void) setTabWidth: (NSInteger)width
{
  [defaults setInteger: width forKey: tabKey];
}

- (NSArray *) colourNamed: (NSString *)name
{
  return [[defaults dictionaryForKey: coloursKey] objectForKey: name];
}

- (void) setColour: (NSArray *)components named: (NSString *)name
{
  NSMutableDictionary *colours = [[defaults dictionaryForKey: coloursKey] mutableCopy];

  [colours setObject: components forKey: name];
  [defaults setObject: colours forKey: coloursKey];
  [colours release];
}

- (NSArray *) recentFiles
{
  return recentFiles;
}

- (void) addRecentFile: (NSString *)path atDate: (NSDate *)date
{
  NSDictionary *entry = [NSDictionary dictionaryWithObjectsAndKeys: path, @"Path", date, @"Date", nil];

  [recentFiles insertObject: entry atIndex: 0];
  while ([recentFiles count] > 3)
    [recentFiles removeLastObject];
  [defaults setObject: recentFiles forKey: recentKey];
}

- (NSDictionary *) modeForExtension: (NSString *)extension
{
  return [[defaults dictionaryForKey: modesKey] objectForKey: extension];
}

- (void) setMode: (NSString *)mode forExtension: (NSString *)extension
{
  NSMutableDictionary *modes = [NSMutableDictionary dictionaryWithDictionary: [defaults dictionaryForKey: modesKey]];
  NSMutableDictionary *entry = [NSMutableDictionary dictionaryWithDictionary: [modes objectForKey: extension]];

  [entry setObject: mode forKey: @"Mode"];
  [entry setObject: [NSNumber numberWithInt: [[entry objectForKey: @"Uses"] intValue] + 1] forKey: @"Uses"];
  [modes setObject: entry forKey: extension];
  [defaults setObject: modes forKey: modesKey];
}

- (NSRect) windowFrame
{
  NSString *text = [defaults stringForKey: frameKey];

  return text == nil ? NSMakeRect(100, 100, 640, 480) : NSRectFromString(text);
}

- (void) setWindowFrame: (NSRect)frame
{
  [defaults setObject: NSStringFromRect(frame) forKey: frameKey];
}

- (void) revert
{
  NSEnumerator *keys = [[NSArray arrayWithObjects: fontKey, fontSizeKey, wrapsKey, tabKey, coloursKey, recentKey,
    modesKey, frameKey, nil] objectEnumerator];
  NSString *key;

  while ((key = [keys nextObject]) != nil)
    [defaults removeObjectForKey: key];
  [recentFiles setArray: [defaults arrayForKey: recentKey]];
}

- (void) show
{
  NSEnumerator *files = [recentFiles objectEnumerator];
  NSDictionary *file;

  printf("font %s %g\n", [[self fontName] UTF8String], [self fontSize]);
  printf("wraps %d, tabs %ld\n", [self wrapsLines], (long)[self tabWidth]);
  printf("text %s, paper %s\n", [[[self colourNamed: @"Text"] componentsJoinedByString: @" "] UTF8String],
         [[[self colourNamed: @"Paper"] componentsJoinedByString: @" "] UTF8String]);
  while ((file = [files nextObject]) != nil)
    printf("file %s, %.0f\n", [[file objectForKey: @"Path"] UTF8String],
           [[file objectForKey: @"Date"] timeIntervalSinceReferenceDate]);
  printf("mode %s %d\n", [[[self modeForExtension: @"c"] objectForKey: @"Mode"] UTF8String],
         [[[self modeForExtension: @"c"] objectForKey: @"Uses"] intValue]);
  printf("frame %s\n", [NSStringFromRect([self windowFrame]) UTF8String]);
  printf("changes %d\n", changeCount);
}
@end
