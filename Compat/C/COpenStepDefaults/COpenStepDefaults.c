// The functions are Swift's (Compat/C/Functions). This file makes the compiler read the headers as C11.

#include "OpenStepDefaults.h"
