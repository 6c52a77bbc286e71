#ifndef CDEFAULTSENGINEMARK_H
#define CDEFAULTSENGINEMARK_H

/// The name of the mark that every program and library with an engine bears.
#define CDEFAULTSENGINEMARK_NAME "OpenStepDefaults"

#endif
