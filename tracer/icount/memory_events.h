/* What the memory model of icount counts of each thread, in this order.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TIMELESS_TRACER_ICOUNT_MEMORY_EVENTS_H
#define TIMELESS_TRACER_ICOUNT_MEMORY_EVENTS_H

/* Reuse distances are divided into classes: class 0 below 512 lines, then a class for each half octave from there to
 * 2^22 lines (256 MiB), one for all that is farther, and one for lines never seen before. */
#define MEMORY_NEAREST_LINES 512U
#define MEMORY_THRESHOLDS 27U
#define MEMORY_CLASS_NEW (MEMORY_THRESHOLDS + 1U)
#define MEMORY_CLASSES (MEMORY_CLASS_NEW + 1U)

/* What the tool counts of memory, beside instructions. trace/model/memory_events.h names them in this order. */

/* What the tool counts of memory, beside instructions. trace/model/memory_events.h names them in this order. */
enum MemoryEvent {
  MEMORY_INSTRUCTIONS,
  MEMORY_LOADS,      /* instructions' reads of memory */
  MEMORY_STORES,     /* ... and writes */
  MEMORY_DIVISIONS,  /* divisions and square roots, of integers and floating-point numbers */
  MEMORY_WAITS,      /* cycles that chains of dependent operations take beyond those of their instructions */
  MEMORY_MISGUESSES, /* conditional branches that a predictor by each branch's own history gets wrong */
  MEMORY_SEQUENTIAL, /* by class of reuse distance: lines that follow one fetched before them */
  MEMORY_RANDOM = MEMORY_SEQUENTIAL + MEMORY_CLASSES, /* likewise: all other lines fetched, but ... */
  MEMORY_CHAINED = MEMORY_RANDOM + MEMORY_CLASSES,    /* ... those whose address was loaded the round before */
  MEMORY_EVENTS = MEMORY_CHAINED + MEMORY_CLASSES
};

#endif
