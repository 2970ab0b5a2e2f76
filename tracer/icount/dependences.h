/* How long the instructions of a superblock wait for each other.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TIMELESS_TRACER_ICOUNT_DEPENDENCES_H
#define TIMELESS_TRACER_ICOUNT_DEPENDENCES_H

#include <valgrind/pub_tool_basics.h>

#include <valgrind/pub_tool_tooliface.h>

/* In this fraction of a cycle. */
#define WAIT_PARTS 16U

typedef struct {
  /* Of a superblock that ends by going to its own beginning: what a round takes beyond one cycle for four instructions,
   * because operations wait for what they need from registers: in parts of a cycle, with the latencies of a processor
   * of 2020. Of what passes through memory nothing is known. Else 0. */
  UInt waits;
  /* By statement: a load whose address depends on what a load gave one execution before. */
  Bool* chained;
} Dependences;

Dependences dependences_of(const IRSB* block, UInt instructions);
/* Where the superblock begins. */
Addr entry_of(const IRSB* block);
void dependences_free(Dependences* dependences);

/* A division or a square root, of whatever type. */
Bool divides(const IRStmt* statement);

#endif
