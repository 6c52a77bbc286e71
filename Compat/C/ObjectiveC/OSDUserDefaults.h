#ifndef OSD_USER_DEFAULTS_H
#define OSD_USER_DEFAULTS_H

#import <Foundation/Foundation.h>

/// GNUstep's standard user defaults, answered by the library `libopenstepdefaults`.
///
/// A GNUstep program compiles `OSDUserDefaults.m` in, without automatic reference counting, and links the library. Its
/// own sources stay as they are: from then on `[NSUserDefaults standardUserDefaults]` gives an object of this class,
/// also to GNUstep itself. The database is GNUstep's, with its formats and its lock. A Swift or C part of the program
/// that uses the same library shares its domains, and each finds at once what another has set.
///
/// How it comes about: when the class is loaded, it replaces the method `+standardUserDefaults` of NSUserDefaults. The
/// new one has GNUstep make its object, and gives that object this class. What was set before, by code that ran
/// earlier, is saved; registered defaults and volatile domains are taken over. The languages, the search list and the
/// name of the application's domain are those that GNUstep has found, so that they follow the version of GNUstep that
/// the program runs with.
///
/// What the object answers:
///
/// - All methods that read, set, save and list domains use the library. The typed ones are GNUstep's own, which call
///   -objectForKey: and -setObject:forKey:, so that a number or a truth value in a string is found by GNUstep's rules.
/// - Values are immutable. As in GNUstep, a value is read back as the object that was set, until another takes
///   its place; later it has the class that it would have from GNUstep's file, where a date has whole seconds.
/// - What is no property list raises NSInvalidArgumentException, as in GNUstep, and so do a key with a NUL and more
///   than 500 containers in each other. Registered defaults and volatile domains may hold any object, as in GNUstep.
/// - NSUserDefaultsDidChangeNotification is posted when this version of GNUstep posts it, with this object; also for a
///   change that another part of the program makes through the library, by the thread that makes it.
/// - The flags that GNUstep keeps outside of the object, such as `GSLogThread`, follow every such change.
/// - -synchronize says NO if something could not be saved, and logs why; GNUstep says YES then. Changes are also saved
///   without a call, soon after they are made and at the process's normal end.
/// - -dictionaryRepresentation is made anew after a change or a synchronize.
/// - Key-value observing works as in GNUstep's class.
///
/// `+resetStandardUserDefaults` makes the object anew, with the registered defaults and without the volatile domains
/// that were added. After GSSetUserName() with another name the object uses that user's database, which a Swift or C
/// part must open for itself.
///
/// What stays GNUstep's: objects that the program makes by `alloc` and `init`, which read and write the same files
/// under the same lock, and the shared object of a program that asks a subclass of its own for it first. If the
/// database cannot be opened, the object stays GNUstep's as well, and the standard error says why.
@interface OSDUserDefaults : NSUserDefaults
@end

#endif
