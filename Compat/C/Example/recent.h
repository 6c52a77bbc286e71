/// The documents that were opened last. Their list is in Swift.

#include <stdint.h>

/// Puts a document at the front of the list, which is cut to the number in the preferences.
void recent_add(const char *path);

/// The number of documents in the list.
int32_t recent_count(void);
