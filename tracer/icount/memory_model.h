/* What one thread's accesses would find in caches of any size: a histogram of reuse distances.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Every line goes through a small cache first (32 KiB, 8 ways, least recently used goes), since most accesses end
 * there. What misses it is sequential when it lies beside the last line of one of 16 streams, else random. Of the lines
 * that a hash chooses, one in MEMORY_SAMPLED, the reuse distance is found: how many other lines were fetched since this
 * one was (Waldspurger et al.: SHARDS, FAST 2015). Distances are exact among the chosen lines, up to their class: a
 * list by age, with a mark at the first line of each class (Kim, Hill, Wood: implementing stack simulation for highly
 * associative memories, 1991). The geometry is this file's, never the processor's. */
#ifndef TIMELESS_TRACER_ICOUNT_MEMORY_MODEL_H
#define TIMELESS_TRACER_ICOUNT_MEMORY_MODEL_H

#include "tracer/icount/memory_events.h"

#include <stddef.h>
#include <stdint.h>

#define MEMORY_LINE_BITS 6U
#define MEMORY_SAMPLED 16U

/* Lines by age, the youngest first, and how far each is from the youngest. */
typedef struct AgeList AgeList;

/* The thresholds rise, the first is at least 1, and there are at most MEMORY_THRESHOLDS; at most `most` lines are kept,
 * more than the last threshold. */
AgeList* age_list_create(const uint32_t* thresholds, uint32_t count, uint32_t most);
void age_list_destroy(AgeList* list);
/* Makes the line the youngest. Returns how many thresholds the number of lines between reaches or exceeds; `count` + 1
 * when the line was not in the list. */
uint32_t age_list_touch(AgeList* list, uint64_t line);

typedef struct MemoryModel MemoryModel;

MemoryModel* memory_model_create(void);
void memory_model_destroy(MemoryModel* model);
/* Forgets all lines; counts go on. */
void memory_model_forget(MemoryModel* model);
/* One access, or several in a row, to the line. Adds to the counts from counts[MEMORY_SEQUENTIAL] on; to those of
 * MEMORY_CHAINED instead of MEMORY_RANDOM when `chained`. */
void memory_model_access(MemoryModel* model, uint64_t line, int chained, uint64_t counts[MEMORY_EVENTS]);

/* Zeroed memory that the user of this file provides; never NULL. */
void* memory_model_allocate(size_t bytes);
void memory_model_free(void* memory);

#endif
