/* The memory model within the tool (option --memory=yes): what is added to the translated program, whose turn it is,
 * and what the program asks.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TIMELESS_TRACER_ICOUNT_MEMORY_H
#define TIMELESS_TRACER_ICOUNT_MEMORY_H

#include "tracer/icount/dependences.h"

#include <valgrind/pub_tool_basics.h>

#include <valgrind/pub_tool_tooliface.h>

/* Once, before all else. */
void memory_begin(void);

/* Where the translation of a superblock stands. */
typedef struct {
  ULong loads, stores, divisions; /* since the last exit, not yet added */
  Dependences dependences;        /* of the whole superblock ... */
  UInt instructions;              /* ... and its instructions */
  Addr entry;                     /* ... and where it begins */
  Bool entered;
} MemoryProgress;

MemoryProgress memory_begin_block(const IRSB* original);
/* Before the statement, the original's i-th, is added to the block. */
void memory_before_statement(IRSB* block, MemoryProgress* progress, const IRStmt* statement, Int i);
/* Before an exit. */
void memory_add_counts(IRSB* block, MemoryProgress* progress);
void memory_end_block(IRSB* block, MemoryProgress* progress);

/* The threads are Valgrind's numbers. */
void memory_give_turn_to(ThreadId thread);
void memory_thread_exits(ThreadId thread);
/* Of MEMORY_EVENTS. */
void memory_read(ULong* values, ULong instructions);
/* Until memory_go_on(), the running thread's accesses do not count as the program's, nor do they evict its lines. */
void memory_pause(void);
void memory_go_on(void);
/* Pauses, and forgets what the running thread has done. */
void memory_forget(void);

#endif
