#ifndef CDEFAULTSARGUMENTS_H
#define CDEFAULTSARGUMENTS_H

/// The number of the process's arguments, including its own name; 0 if the C library does not provide them.
int carguments_count(void);

/// The arguments as C strings, which live as long as the process; NULL if the C library does not provide
/// them.
char *const *carguments_vector(void);

#endif
