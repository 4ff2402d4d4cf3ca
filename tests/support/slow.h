/* slow.h: builds with sanitizers or verifiers, in which the longest runs are left out or cut short. */
#ifndef TESTS_SUPPORT_SLOW_H
#define TESTS_SUPPORT_SLOW_H

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__ || defined SOLSTICE_VERIFY
enum { SLOW_BUILD = 1 };
#else
enum { SLOW_BUILD = 0 };
#endif

#endif
