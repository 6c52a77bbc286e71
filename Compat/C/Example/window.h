/// The window's place, as the part in C keeps it.

/// Stores the frame of a window.
void window_save(const char *name, int x, int y, int width, int height);

/// The width of a window: that of its stored frame, or as many columns as the preferences say.
int window_width(const char *name);
