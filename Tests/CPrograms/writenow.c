#include <defaults/defaults.h>
#include <stdio.h>

static NXDefaultsVector defaults = {{"NXFont", "Helvetica"}, {"NXFontSize", "12.0"}, {NULL, NULL}};

int main(void) {
  if (!NXRegisterDefaults("WriteNow", defaults)) fprintf(stderr, "The defaults cannot be read.\n");
  printf("%s %s\n", NXGetDefaultValue("WriteNow", "NXFont"), NXGetDefaultValue("WriteNow", "NXFontSize"));
  return NXWriteDefault("WriteNow", "NXFont", "Courier") ? 0 : 1;
}
