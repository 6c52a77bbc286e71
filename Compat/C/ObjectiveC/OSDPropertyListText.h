#ifndef OSD_PROPERTY_LIST_TEXT_H
#define OSD_PROPERTY_LIST_TEXT_H

#import <Foundation/Foundation.h>
#include <locale.h>
#if defined(__APPLE__)
#include <xlocale.h>
#endif

/// How many containers may be in each other: the library takes no more.
enum { OSDMaximumDepth = 500 };

/// The locale of C, for numbers: the program's own may have another decimal point.
static locale_t OSDPlainLocale(void)
{
  static locale_t plain;

  /* Two threads that make it at once make the same. */
  if (plain == (locale_t)0)
    plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  return plain;
}

#endif
