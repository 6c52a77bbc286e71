#ifndef CENGINEMARK_H
#define CENGINEMARK_H

/// The name of the mark that every program and library with an engine bears.
#define CENGINEMARK_NAME "OpenStepDefaults"

#endif
