/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tracer/icount/memory_model.h"

enum { first_level_sets = 64, first_level_ways = 8, streams = 16, most_sampled = 1 << 20 };

struct MemoryModel {
  uint64_t first_level[first_level_sets][first_level_ways]; /* line + 1, the youngest first; 0: nothing */
  struct {
    uint64_t last;    /* line */
    int64_t step;     /* from one line to the next; 0 while there is only one */
    uint64_t touched; /* when */
  } stream[streams];
  uint64_t misses;
  AgeList* sampled;
};

static AgeList* create_sampled_list(void) {
  /* 512 lines and its half octaves, among the sampled; 181/128 is the square root of 2. */
  uint32_t thresholds[MEMORY_THRESHOLDS];
  uint32_t octave = MEMORY_NEAREST_LINES / MEMORY_SAMPLED;
  for (uint32_t i = 0; i < MEMORY_THRESHOLDS; ++i) {
    thresholds[i] = i % 2 == 0 ? octave : (uint32_t)((uint64_t)octave * 181 / 128);
    if (i % 2 == 1) octave *= 2;
  }
  return age_list_create(thresholds, MEMORY_THRESHOLDS, most_sampled);
}

MemoryModel* memory_model_create(void) {
  MemoryModel* model = memory_model_allocate(sizeof *model);
  model->sampled = create_sampled_list();
  return model;
}

void memory_model_destroy(MemoryModel* model) {
  age_list_destroy(model->sampled);
  memory_model_free(model);
}

void memory_model_forget(MemoryModel* model) {
  age_list_destroy(model->sampled);
  for (int set = 0; set < first_level_sets; ++set)
    for (int way = 0; way < first_level_ways; ++way)
      model->first_level[set][way] = 0;
  for (int i = 0; i < streams; ++i)
    model->stream[i].last = model->stream[i].touched = 0, model->stream[i].step = 0;
  model->misses = 0;
  model->sampled = create_sampled_list();
}

/* Whether the line was in the first level; it is now, as the youngest of its set. */
static int in_first_level(MemoryModel* model, uint64_t line) {
  uint64_t* set = model->first_level[line % first_level_sets];
  const uint64_t wanted = line + 1;
  uint64_t shifted = wanted;
  for (int way = 0; way < first_level_ways; ++way) {
    const uint64_t here = set[way];
    set[way] = shifted;
    if (here == wanted) return 1;
    shifted = here;
  }
  return 0;
}

/* Whether the line lies where a stream of misses goes, as prefetchers see it: one or two lines on, up or down. Else it
 * may begin one, in place of the stream that was idle longest. */
static int continues_stream(MemoryModel* model, uint64_t line) {
  int idle = 0;
  ++model->misses;
  for (int i = 0; i < streams; ++i) {
    const int64_t step = (int64_t)(line - model->stream[i].last);
    const int near = step != 0 && step >= -2 && step <= 2;
    if (near && (model->stream[i].step == 0 || (model->stream[i].step > 0) == (step > 0))) {
      const int confirmed = model->stream[i].step != 0;
      model->stream[i].last = line;
      model->stream[i].step = step;
      model->stream[i].touched = model->misses;
      return confirmed;
    }
    if (model->stream[i].touched < model->stream[idle].touched) idle = i;
  }
  model->stream[idle].last = line;
  model->stream[idle].step = 0;
  model->stream[idle].touched = model->misses;
  return 0;
}

/* MurmurHash3's last step for 64 bits (Appleby, public domain). */
static uint64_t mixed(uint64_t key) {
  key ^= key >> 33;
  key *= 0xff51afd7ed558ccdULL;
  key ^= key >> 33;
  key *= 0xc4ceb9fe1a85ec53ULL;
  key ^= key >> 33;
  return key;
}

void memory_model_access(MemoryModel* model, uint64_t line, int chained, uint64_t counts[MEMORY_EVENTS]) {
  if (in_first_level(model, line)) return;
  const int sequential = continues_stream(model, line);
  if (mixed(line) % MEMORY_SAMPLED != 0) return;
  const unsigned first = sequential ? MEMORY_SEQUENTIAL : chained ? MEMORY_CHAINED : MEMORY_RANDOM;
  counts[first + age_list_touch(model->sampled, line)] += MEMORY_SAMPLED;
}

/* A line of the list. */
typedef struct {
  uint64_t line;
  uint32_t younger, older; /* index of a node; `nobody` at the ends */
  uint32_t next_in_bucket;
  uint32_t class_of_distance;
} Node;

struct AgeList {
  uint32_t thresholds[MEMORY_THRESHOLDS];
  uint32_t first_of[MEMORY_THRESHOLDS]; /* the node at this many lines from the youngest; `nobody` when there is none */
  uint32_t count, most;
  uint32_t size, capacity;
  uint32_t youngest, oldest;
  Node* nodes;
  uint32_t* buckets; /* `capacity` of them, a power of two */
};

static const uint32_t nobody = 0xffffffffU;

static uint32_t* bucket_of(const AgeList* list, uint64_t line) {
  return &list->buckets[(mixed(line) >> 32U) & (list->capacity - 1)];
}

static void resize(AgeList* list, uint32_t capacity) {
  Node* nodes = memory_model_allocate(capacity * sizeof(Node));
  for (uint32_t node = 0; node < list->size; ++node)
    nodes[node] = list->nodes[node];
  if (list->nodes != NULL) memory_model_free(list->nodes);
  if (list->buckets != NULL) memory_model_free(list->buckets);
  list->nodes = nodes;
  list->capacity = capacity;
  list->buckets = memory_model_allocate(capacity * sizeof(uint32_t));
  for (uint32_t bucket = 0; bucket < capacity; ++bucket)
    list->buckets[bucket] = nobody;
  for (uint32_t node = 0; node < list->size; ++node) {
    uint32_t* bucket = bucket_of(list, nodes[node].line);
    nodes[node].next_in_bucket = *bucket;
    *bucket = node;
  }
}

AgeList* age_list_create(const uint32_t* thresholds, uint32_t count, uint32_t most) {
  AgeList* list = memory_model_allocate(sizeof *list);
  for (uint32_t i = 0; i < count; ++i) {
    list->thresholds[i] = thresholds[i];
    list->first_of[i] = nobody;
  }
  list->count = count;
  list->most = most;
  list->youngest = list->oldest = nobody;
  resize(list, 256);
  return list;
}

void age_list_destroy(AgeList* list) {
  memory_model_free(list->nodes);
  memory_model_free(list->buckets);
  memory_model_free(list);
}

static uint32_t find(const AgeList* list, uint64_t line) {
  uint32_t node = *bucket_of(list, line);
  while (node != nobody && list->nodes[node].line != line)
    node = list->nodes[node].next_in_bucket;
  return node;
}

static void unlink_by_age(AgeList* list, uint32_t node) {
  const Node* here = &list->nodes[node];
  if (here->younger != nobody)
    list->nodes[here->younger].older = here->older;
  else
    list->youngest = here->older;
  if (here->older != nobody)
    list->nodes[here->older].younger = here->younger;
  else
    list->oldest = here->younger;
}

static void put_first(AgeList* list, uint32_t node) {
  Node* here = &list->nodes[node];
  here->class_of_distance = 0;
  here->younger = nobody;
  here->older = list->youngest;
  if (list->youngest != nobody)
    list->nodes[list->youngest].younger = node;
  else
    list->oldest = node;
  list->youngest = node;
}

/* All lines younger than one of this class are about to be one line farther: the last of each class enters the next. */
static void age_classes(AgeList* list, uint32_t classes) {
  for (uint32_t i = 0; i < classes; ++i) {
    if (list->first_of[i] == nobody) break;
    list->first_of[i] = list->nodes[list->first_of[i]].younger;
    list->nodes[list->first_of[i]].class_of_distance = i + 1;
  }
}

static void forget_oldest(AgeList* list, uint32_t* node) {
  *node = list->oldest;
  unlink_by_age(list, *node);
  uint32_t* link = bucket_of(list, list->nodes[*node].line);
  while (*link != *node)
    link = &list->nodes[*link].next_in_bucket;
  *link = list->nodes[*node].next_in_bucket;
}

static void add(AgeList* list, uint64_t line) {
  age_classes(list, list->count);
  for (uint32_t i = 0; i < list->count; ++i)
    if (list->size == list->thresholds[i]) {
      list->first_of[i] = list->oldest;
      list->nodes[list->oldest].class_of_distance = i + 1;
    }
  uint32_t node = list->size;
  if (list->size == list->most) {
    forget_oldest(list, &node);
  } else {
    if (list->size == list->capacity) resize(list, list->capacity * 2);
    ++list->size;
  }
  list->nodes[node].line = line;
  uint32_t* bucket = bucket_of(list, line);
  list->nodes[node].next_in_bucket = *bucket;
  *bucket = node;
  put_first(list, node);
}

uint32_t age_list_touch(AgeList* list, uint64_t line) {
  const uint32_t node = find(list, line);
  if (node == nobody) {
    add(list, line);
    return list->count + 1;
  }
  const uint32_t distance = list->nodes[node].class_of_distance;
  age_classes(list, distance);
  unlink_by_age(list, node);
  put_first(list, node);
  return distance;
}
