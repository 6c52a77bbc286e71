#import <Foundation/Foundation.h>

/* The preferences of an editor, in the manner of GNUstep's programs: one shared object over the standard defaults,
   which registers its values when the class is first used and tells its windows of changes. */
@interface EditorPreferences : NSObject
{
  NSUserDefaults *defaults;
  NSMutableArray *recentFiles;
  int changeCount;
}

+ (EditorPreferences *) sharedPreferences;

- (NSString *) fontName;
- (float) fontSize;
- (void) setFontName: (NSString *)name size: (float)size;

- (BOOL) wrapsLines;
- (void) setWrapsLines: (BOOL)flag;

- (NSInteger) tabWidth;
- (void) setTabWidth: (NSInteger)width;

- (NSArray *) colourNamed: (NSString *)name;
- (void) setColour: (NSArray *)components named: (NSString *)name;

- (NSArray *) recentFiles;
- (void) addRecentFile: (NSString *)path atDate: (NSDate *)date;

- (NSDictionary *) modeForExtension: (NSString *)extension;
- (void) setMode: (NSString *)mode forExtension: (NSString *)extension;

- (NSRect) windowFrame;
- (void) setWindowFrame: (NSRect)frame;

- (void) revert;
- (void) show;
@end
