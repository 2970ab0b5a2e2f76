/* A loop whose length in instructions is known, for programs whose volumes are asserted. */
#ifndef TIMELESS_TESTS_PROGRAMS_KNOWN_LOOP_H
#define TIMELESS_TESTS_PROGRAMS_KNOWN_LOOP_H

/* Two instructions an iteration; none when there are none to do. */
void known_loop(long iterations);

#endif
