#ifndef CDEFAULTSTERMINAL_H
#define CDEFAULTSTERMINAL_H

/// How many columns a terminal has; 0 if the descriptor is no terminal's, or if the terminal does not tell.
int cterminal_width(int descriptor);

#endif
