// One engine a process.
//
// A process with two engines, one in its program and one in a library that it loads, would have two sets of
// values under the same keys, and neither would see the other's changes before they are in a file. So each
// program or library into which the engine is linked bears a mark, and when it is started or loaded, it looks
// for the marks of all others.
//
// A library with an engine also stays in the process until the end: after a dlclose() the engine's threads, which
// save and watch, would run where no code is any more.
//
// The mark is an ELF note, or on Apple's systems a section: unlike a symbol it is found in a static program too.

#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include "CDefaultsEngineMark.h"
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// The modules with a mark: the first two of them suffice.
struct marks {
  int count;
  char paths[2][1024];
};

static void add(struct marks *marks, const char *path) {
  if (marks->count < 2) snprintf(marks->paths[marks->count], sizeof marks->paths[0], "%s", path);
  marks->count++;
}

#if defined(__ELF__)

#include <link.h>

struct mark {
  uint32_t name_size;
  uint32_t contents_size;
  uint32_t type;
  char name[(sizeof CDEFAULTSENGINEMARK_NAME + 3) / 4 * 4];
};

__attribute__((used, section(".note." CDEFAULTSENGINEMARK_NAME), aligned(4))) static const struct mark mark = {
    sizeof CDEFAULTSENGINEMARK_NAME, 0, 1, CDEFAULTSENGINEMARK_NAME};

/// Whether a segment of notes contains the mark.
static int has_mark(const char *notes, size_t size, size_t alignment) {
  // The fields are four bytes wide on every system; some linkers align them to eight.
  size_t mask = (alignment == 8 ? 8 : 4) - 1;
  while (size >= 12) {
    const uint32_t *header = (const uint32_t *)notes;
    size_t name_end = 12 + (size_t)header[0];
    size_t end = ((name_end + mask) & ~mask) + (size_t)header[1];
    end = (end + mask) & ~mask;
    if (header[0] > size || header[1] > size || name_end > size) return 0;
    if (header[0] == sizeof CDEFAULTSENGINEMARK_NAME && memcmp(notes + 12, CDEFAULTSENGINEMARK_NAME, header[0]) == 0) return 1;
    if (end > size) return 0;
    notes += end;
    size -= end;
  }
  return 0;
}

static int look(struct dl_phdr_info *module, size_t size, void *marks) {
  (void)size;
  for (int i = 0; i < module->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &module->dlpi_phdr[i];
    if (segment->p_type != PT_NOTE) continue;
    if (!has_mark((const char *)module->dlpi_addr + segment->p_vaddr, segment->p_memsz, segment->p_align))
      continue;
    // The program itself has no name.
    add(marks, module->dlpi_name && module->dlpi_name[0] ? module->dlpi_name : "the program");
    break;
  }
  return 0;
}

static void find(struct marks *marks) { dl_iterate_phdr(look, marks); }

#elif defined(__APPLE__)

#include <mach-o/dyld.h>
#include <mach-o/getsect.h>

__attribute__((used, section("__TEXT,__osd_engine"))) static const char mark[] = CDEFAULTSENGINEMARK_NAME;

static void find(struct marks *marks) {
  for (uint32_t i = 0; i < _dyld_image_count(); i++) {
    unsigned long size = 0;
    const struct mach_header_64 *header = (const struct mach_header_64 *)_dyld_get_image_header(i);
    if (header && getsectiondata(header, "__TEXT", "__osd_engine", &size)) add(marks, _dyld_get_image_name(i));
  }
}

#else
#error "CDefaultsEngineMark: say here how the modules of a process are listed on this platform."
#endif

/// Keeps the module of this file from being unloaded.
static void stay(void) {
  Dl_info module;
  if (!dladdr((const void *)&mark, &module) || !module.dli_fname) return;
  // Not closed, which is the purpose. The program itself is not found by its name, and is never unloaded.
  (void)dlopen(module.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

__attribute__((constructor)) static void check(void) {
  struct marks marks = {0};
  find(&marks);
  if (marks.count < 2) {
    stay();
    return;
  }
  char line[2600];
  int length = snprintf(
      line, sizeof line,
      "Fatal error: this process has two engines of OpenStepDefaults, in %s and in %s, and would keep two values "
      "for one key. Link one: the dynamic library in every part of the program, Swift's too (product "
      "“openstepdefaults”), or the ordinary products in a program that loads no such library.\n",
      marks.paths[0], marks.paths[1]);
  if (length > 0 && write(STDERR_FILENO, line, (size_t)length) < 0) {
    // If standard error takes nothing, no other place is left to report it.
  }
  abort();
}
