/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tracer/icount/memory.h"

#include "tracer/icount/memory_model.h"

#include <valgrind/pub_tool_libcbase.h>
#include <valgrind/pub_tool_machine.h>
#include <valgrind/pub_tool_mallocfree.h>
#include <valgrind/pub_tool_threadstate.h>

/* The lines accessed last, by their low bits: what is found here goes no further. Far smaller than the model's first
 * level, so that its order by age stays nearly right. */
enum { recent_lines = 128 };
enum { counters = 1 << 14, counter_start = 1, histories = 1 << 12, history_bits = 12 };

/* Of conditional branches: by each branch's own last outcomes (Yeh, Patt: Two-level adaptive training branch
 * prediction, 1991), a counter of two bits. */
typedef struct {
  UChar counters[counters];
  ULong histories[histories]; /* the last outcome in the lowest bit */
} Predictor;

/* A processor goes on with what follows a loop while a chain in it still waits, as far as it sees ahead. */
enum { instructions_ahead = 200 };

/* Of a thread that does not run. */
typedef struct {
  uint64_t counts[MEMORY_EVENTS];
  MemoryModel* model;
  Predictor* predictor;
  ULong rounds;
  Bool paused;
} Resting;

static Resting* resting; /* by ThreadId */
static ThreadId running_thread;

/* Of the running thread; the translated program reads and writes these. */
static uint64_t counts[MEMORY_EVENTS];
static ULong recent[recent_lines]; /* all ones: none */
static Predictor* predictor;
static ULong rounds; /* of the loop that a superblock is, so far */

static MemoryModel* model;
static Bool paused;
static Predictor of_pauses; /* what the program does not answer for */

/* By counter and outcome: the next counter, and 4 for a wrong guess. */
static const UChar guess[8] = {0, 4 + 1, 0, 4 + 2, 4 + 1, 3, 4 + 2, 3};

void* memory_model_allocate(SizeT bytes) {
  return VG_(calloc)("icount.memory", 1, bytes);
}

void memory_model_free(void* memory) {
  VG_(free)(memory);
}

static void forget_recent(void) {
  VG_(memset)(recent, 0xff, sizeof recent);
}

static void reset(Predictor* all) {
  VG_(memset)(all, 0, sizeof *all);
  VG_(memset)(all->counters, counter_start, sizeof all->counters);
}

static Predictor* create_predictor(void) {
  Predictor* created = VG_(malloc)("icount.predictor", sizeof *created);
  reset(created);
  return created;
}

static void use_predictor(void) {
  predictor = paused ? &of_pauses : resting[running_thread].predictor;
}

void memory_begin(void) {
  resting = VG_(calloc)("icount.resting", VG_N_THREADS + 1, sizeof *resting);
}

void memory_give_turn_to(ThreadId thread) {
  if (thread == running_thread) return;
  if (running_thread != 0) {
    Resting* last = &resting[running_thread];
    VG_(memcpy)(last->counts, counts, sizeof counts);
    last->rounds = rounds;
    last->paused = paused;
  }
  Resting* next = &resting[thread];
  if (next->model == NULL) {
    next->model = memory_model_create();
    next->predictor = create_predictor();
  }
  running_thread = thread;
  VG_(memcpy)(counts, next->counts, sizeof counts);
  model = next->model;
  rounds = next->rounds;
  paused = next->paused;
  forget_recent();
  use_predictor();
}

void memory_thread_exits(ThreadId thread) {
  memory_give_turn_to(thread);
  memory_model_destroy(model);
  VG_(free)(resting[thread].predictor);
  VG_(memset)(&resting[thread], 0, sizeof resting[thread]);
  running_thread = 0;
}

void memory_read(ULong* values, ULong instructions) {
  VG_(memcpy)(values, counts, sizeof counts);
  values[MEMORY_INSTRUCTIONS] = instructions;
  values[MEMORY_WAITS] /= WAIT_PARTS;
}

void memory_pause(void) {
  if (paused) return;
  paused = True;
  use_predictor();
}

void memory_go_on(void) {
  if (!paused) return;
  paused = False;
  use_predictor();
}

void memory_forget(void) {
  memory_pause();
  memory_model_forget(model);
  forget_recent();
  reset(resting[running_thread].predictor);
}

/* Called by the program for a line that is not among the recent ones. */
static void note_line(ULong line) {
  if (paused) return;
  recent[line % recent_lines] = line;
  memory_model_access(model, line, 0, counts);
}

static void note_chained_line(ULong line) {
  if (paused) return;
  recent[line % recent_lines] = line;
  memory_model_access(model, line, 1, counts);
}

static IRExpr* assigned(IRSB* block, IRType type, IRExpr* value) {
  IRTemp temporary = newIRTemp(block->tyenv, type);
  addStmtToIRSB(block, IRStmt_WrTmp(temporary, value));
  return IRExpr_RdTmp(temporary);
}

static IRExpr* binary(IRSB* block, IROp operation, IRExpr* left, IRExpr* right) {
  return assigned(block, Ity_I64, IRExpr_Binop(operation, left, right));
}

static IRExpr* number(ULong value) {
  return IRExpr_Const(IRConst_U64(value));
}

static IRExpr* bits(UChar value) {
  return IRExpr_Const(IRConst_U8(value));
}

static IRExpr* loaded(IRSB* block, IRType type, IRExpr* address) {
  return assigned(block, type, IRExpr_Load(Iend_LE, type, address));
}

static IRExpr* address_of(void* object) {
  return mkIRExpr_HWord((HWord)object);
}

static void add_to(IRSB* block, uint64_t* counter, IRExpr* value) {
  IRExpr* more = binary(block, Iop_Add64, loaded(block, Ity_I64, address_of(counter)), value);
  addStmtToIRSB(block, IRStmt_Store(Iend_LE, address_of(counter), more));
}

/* Where an access goes over the end of a line, its second line is left out: the next access has it. */
static void note_access(IRSB* block, IRExpr* address, Bool chained) {
  IRExpr* line = binary(block, Iop_Shr64, address, bits(MEMORY_LINE_BITS));
  IRExpr* slot = binary(block, Iop_And64, binary(block, Iop_Shr64, address, bits(MEMORY_LINE_BITS - 3)),
                        number((recent_lines - 1) * sizeof(ULong)));
  IRExpr* there = loaded(block, Ity_I64, binary(block, Iop_Add64, slot, address_of(recent)));
  IRExpr* other = assigned(block, Ity_I1, IRExpr_Binop(Iop_CmpNE64, there, line));
  void (*function)(ULong) = chained ? note_chained_line : note_line;
  IRDirty* call = unsafeIRDirty_0_N(1, "note_line", VG_(fnptr_to_fnentry)((void*)function), mkIRExprVec_1(line));
  call->guard = other;
  addStmtToIRSB(block, IRStmt_Dirty(call));
}

static void note_branch(IRSB* block, IRExpr* guard, Addr address) {
  const ULong hash = address * 0x9e3779b97f4a7c15ULL;
  const ULong own = offsetof(Predictor, histories) + (hash >> 40) % histories * sizeof(ULong);
  IRExpr* base = loaded(block, Ity_I64, address_of(&predictor));
  IRExpr* mine = binary(block, Iop_Add64, base, number(own));
  IRExpr* before = loaded(block, Ity_I64, mine);
  IRExpr* outcomes = binary(block, Iop_And64, before, number((1U << history_bits) - 1));
  IRExpr* place = binary(block, Iop_Xor64, outcomes, number(hash >> 50));
  IRExpr* where = binary(block, Iop_Add64, base, place);
  IRExpr* state = assigned(block, Ity_I64, IRExpr_Unop(Iop_8Uto64, loaded(block, Ity_I8, where)));
  IRExpr* taken = assigned(block, Ity_I64, IRExpr_Unop(Iop_1Uto64, guard));
  IRExpr* row = binary(block, Iop_Or64, binary(block, Iop_Shl64, state, bits(1)), taken);
  IRExpr* found = loaded(block, Ity_I8, binary(block, Iop_Add64, row, address_of((void*)guess)));
  IRExpr* result = assigned(block, Ity_I64, IRExpr_Unop(Iop_8Uto64, found));
  IRExpr* next = assigned(block, Ity_I8, IRExpr_Unop(Iop_64to8, binary(block, Iop_And64, result, number(3))));
  addStmtToIRSB(block, IRStmt_Store(Iend_LE, where, next));
  add_to(block, &counts[MEMORY_MISGUESSES], binary(block, Iop_Shr64, result, bits(2)));
  IRExpr* after = binary(block, Iop_Or64, binary(block, Iop_Shl64, before, bits(1)), taken);
  addStmtToIRSB(block, IRStmt_Store(Iend_LE, mine, after));
}

MemoryProgress memory_begin_block(const IRSB* original) {
  MemoryProgress progress = {0, 0, 0, {0, NULL}, 0, entry_of(original), False};
  for (Int i = 0; i < original->stmts_used; ++i)
    if (original->stmts[i] != NULL && original->stmts[i]->tag == Ist_IMark) ++progress.instructions;
  progress.dependences = dependences_of(original, progress.instructions);
  return progress;
}

/* A round of a loop whose operations wait for each other begins. */
static void note_round(IRSB* block, const MemoryProgress* progress) {
  IRExpr* before = loaded(block, Ity_I64, address_of(&rounds));
  addStmtToIRSB(block, IRStmt_Store(Iend_LE, address_of(&rounds), binary(block, Iop_Add64, before, number(1))));
  IRExpr* long_enough =
      assigned(block, Ity_I1, IRExpr_Binop(Iop_CmpLT64U, number(instructions_ahead / progress->instructions), before));
  IRExpr* waits = assigned(block, Ity_I64, IRExpr_ITE(long_enough, number(progress->dependences.waits), number(0)));
  add_to(block, &counts[MEMORY_WAITS], waits);
}

/* Before an exit: when it is taken, and leads elsewhere, the loop is over. */
static void note_end_of_rounds(IRSB* block, const MemoryProgress* progress, const IRStmt* exit) {
  if (progress->dependences.waits == 0 || exit->Ist.Exit.dst->Ico.U64 == progress->entry) return;
  IRExpr* now = loaded(block, Ity_I64, address_of(&rounds));
  IRExpr* then = assigned(block, Ity_I64, IRExpr_ITE(exit->Ist.Exit.guard, number(0), now));
  addStmtToIRSB(block, IRStmt_Store(Iend_LE, address_of(&rounds), then));
}

static void note_dirty_call(IRSB* block, MemoryProgress* progress, const IRDirty* call) {
  if (call->mFx == Ifx_None) return;
  if (call->mFx != Ifx_Write) ++progress->loads;
  if (call->mFx != Ifx_Read) ++progress->stores;
  note_access(block, call->mAddr, False);
}

void memory_before_statement(IRSB* block, MemoryProgress* progress, const IRStmt* statement, Int i) {
  if (divides(statement)) ++progress->divisions;
  switch (statement->tag) {
  case Ist_IMark:
    if (!progress->entered && progress->dependences.waits != 0) note_round(block, progress);
    progress->entered = True;
    break;
  case Ist_WrTmp:
    if (statement->Ist.WrTmp.data->tag != Iex_Load) break;
    ++progress->loads;
    note_access(block, statement->Ist.WrTmp.data->Iex.Load.addr, progress->dependences.chained[i]);
    break;
  case Ist_LoadG:
    ++progress->loads;
    note_access(block, statement->Ist.LoadG.details->addr, False);
    break;
  case Ist_Store:
    ++progress->stores;
    note_access(block, statement->Ist.Store.addr, False);
    break;
  case Ist_StoreG:
    ++progress->stores;
    note_access(block, statement->Ist.StoreG.details->addr, False);
    break;
  case Ist_CAS:
    ++progress->loads;
    ++progress->stores;
    note_access(block, statement->Ist.CAS.details->addr, False);
    break;
  case Ist_Dirty:
    note_dirty_call(block, progress, statement->Ist.Dirty.details);
    break;
  case Ist_Exit:
    note_end_of_rounds(block, progress, statement);
    if (statement->Ist.Exit.jk == Ijk_Boring)
      note_branch(block, statement->Ist.Exit.guard, statement->Ist.Exit.dst->Ico.U64);
    break;
  default:
    break;
  }
}

void memory_add_counts(IRSB* block, MemoryProgress* progress) {
  const ULong added[] = {progress->loads, progress->stores, progress->divisions};
  for (UInt event = 0; event < sizeof added / sizeof *added; ++event)
    if (added[event] != 0) add_to(block, &counts[MEMORY_LOADS + event], number(added[event]));
  progress->loads = progress->stores = progress->divisions = 0;
}

void memory_end_block(IRSB* block, MemoryProgress* progress) {
  const Bool stays = block->next->tag == Iex_Const && block->next->Iex.Const.con->Ico.U64 == progress->entry;
  if (progress->dependences.waits != 0 && !stays)
    addStmtToIRSB(block, IRStmt_Store(Iend_LE, address_of(&rounds), number(0)));
  memory_add_counts(block, progress);
  dependences_free(&progress->dependences);
}
