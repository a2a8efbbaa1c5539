/*
 * tap.h - functions for unit tests
 *
 * Each program prints one TAP line per test case, and ends with tap_done().
 */
#ifndef TAP_H
#define TAP_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned tap_cases, tap_failed;
static int tap_case_failed;
static const char *tap_name;

static inline void
tap_end(void)
{
	if (tap_name == NULL)
		return;
	printf("%s %u - %s\n", tap_case_failed ? "not ok" : "ok", ++tap_cases,
	    tap_name);
	fflush(stdout);
	tap_failed += (unsigned)tap_case_failed;
	tap_name = NULL;
	tap_case_failed = 0;
}

/* Begins a test case, and ends the case before. */
static inline void
tap_case(const char *name)
{
	tap_end();
	tap_name = name;
}

/* The current test case fails if the condition is false. */
#define CHECK(cond)                                                         \
	do {                                                                \
		if (!(cond)) {                                              \
			printf("# %s:%d: %s\n", __FILE__, __LINE__, #cond); \
			tap_case_failed = 1;                                \
		}                                                           \
	} while (0)

/* Ends the program if a condition is false without which no test case makes
 * sense. */
#define NEED(cond)                                                          \
	do {                                                                \
		if (!(cond)) {                                              \
			printf("Bail out! %s:%d: %s\n", __FILE__, __LINE__, \
			    #cond);                                         \
			exit(2);                                            \
		}                                                           \
	} while (0)

static inline int
tap_done(void)
{
	tap_end();
	printf("1..%u\n", tap_cases);
	return tap_failed != 0;
}

/*
 * Returns a random number; the sequence is the same in every run (xorshift64*,
 * Vigna 2014).  The seed must not be 0.
 */
static inline unsigned long long
tap_random(unsigned long long *state)
{
	unsigned long long x = *state;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	*state = x;
	return x * 0x2545f4914f6cdd1dULL;
}

#endif
