#ifndef CARGUMENTS_H
#define CARGUMENTS_H

/// How many arguments this process was started with, its own name included; 0 where the C library does not tell.
int carguments_count(void);

/// The arguments as C strings, which live as long as the process; NULL where the C library does not tell.
char *const *carguments_vector(void);

#endif
