/* What a program asks of the icount tool it runs under. Natively, and under other Valgrind tools, every answer is 0.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 * (the tool itself is GPL-2; this header needs only valgrind.h, which is BSD-licensed) */
#ifndef TIMELESS_TRACER_ICOUNT_ICOUNT_H
#define TIMELESS_TRACER_ICOUNT_ICOUNT_H

#include <valgrind/valgrind.h>

/* What a program can ask the tool, by a client request of Valgrind. */

/* What a program can ask the tool, by a client request of Valgrind. */
enum IcountRequest {
  ICOUNT_REQUEST_ABI = VG_USERREQ_TOOL_BASE('I', 'C'),
  ICOUNT_REQUEST_THREAD,
  ICOUNT_REQUEST_PROCESS,
  ICOUNT_REQUEST_VALGRIND,
  ICOUNT_REQUEST_THREAD_NUMBER,
  ICOUNT_REQUEST_OF_THREAD,
  ICOUNT_REQUEST_MEMORY_PAUSE,
  ICOUNT_REQUEST_MEMORY_GO_ON,
  ICOUNT_REQUEST_MEMORY_FORGET
};

/* The number changes with the meaning of any request. */
#define ICOUNT_ABI_NUMBER 0xffffUL
#define ICOUNT_ABI_VERSION 0x1c000003UL

#define ICOUNT_REQUEST(request) ((unsigned long)VALGRIND_DO_CLIENT_REQUEST_EXPR(0, request, 0, 0, 0, 0, 0))

/* ICOUNT_ABI_VERSION under the tool. */
#define ICOUNT_ABI() ICOUNT_REQUEST(ICOUNT_REQUEST_ABI)
/* Guest instructions that the calling thread has executed since it started. */
#define ICOUNT_THREAD() ICOUNT_REQUEST(ICOUNT_REQUEST_THREAD)
/* Guest instructions of all threads the process has had; a forked child goes on from its parent's. */
#define ICOUNT_PROCESS() ICOUNT_REQUEST(ICOUNT_REQUEST_PROCESS)
/* The Valgrind the tool was built with: ICOUNT_VALGRIND_MAJOR * major + minor. */
#define ICOUNT_VALGRIND() ICOUNT_REQUEST(ICOUNT_REQUEST_VALGRIND)
#define ICOUNT_VALGRIND_MAJOR 1000UL
/* The tool's number of the calling thread, above 0. When the thread has ended, another may get its number. */
#define ICOUNT_THREAD_NUMBER() ICOUNT_REQUEST(ICOUNT_REQUEST_THREAD_NUMBER)
/* ICOUNT_THREAD of the living thread with this number; 0 if there can be none. */
#define ICOUNT_OF_THREAD(number)                                                                                       \
  ((unsigned long)VALGRIND_DO_CLIENT_REQUEST_EXPR(0, ICOUNT_REQUEST_OF_THREAD, number, 0, 0, 0, 0))
/* What the tool's memory model (--memory=yes) has counted of the calling thread: writes MEMORY_EVENTS values of 64 bits
 * (memory_events.h), and answers how many; 0 without the model. What the thread does between MEMORY_PAUSE and
 * MEMORY_GO_ON evicts no lines and fetches none. */
#define ICOUNT_MEMORY_PAUSE(values)                                                                                    \
  ((unsigned long)VALGRIND_DO_CLIENT_REQUEST_EXPR(0, ICOUNT_REQUEST_MEMORY_PAUSE, values, 0, 0, 0, 0))
#define ICOUNT_MEMORY_GO_ON(values)                                                                                    \
  ((unsigned long)VALGRIND_DO_CLIENT_REQUEST_EXPR(0, ICOUNT_REQUEST_MEMORY_GO_ON, values, 0, 0, 0, 0))
/* MEMORY_PAUSE, and the thread is as one that has done nothing yet; its counts go on. */
#define ICOUNT_MEMORY_FORGET(values)                                                                                   \
  ((unsigned long)VALGRIND_DO_CLIENT_REQUEST_EXPR(0, ICOUNT_REQUEST_MEMORY_FORGET, values, 0, 0, 0, 0))

#endif
