#import <Foundation/Foundation.h>

/// The preferences, in Objective-C as they always were.
@interface Preferences : NSObject
+ (void) registerDefaults;
+ (NSInteger) columns;
+ (void) setColumns: (NSInteger)columns;
+ (void) setRecentDocuments: (NSInteger)count;
+ (NSString *) summary;
@end
