/* icount: a Valgrind tool that counts the instructions each thread executes, and tells the program on request.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Valgrind translates the program in superblocks: one entry, several exits. The instructions before an exit are added
 * to the counter just before that exit, so the count is right whichever exit is taken. Valgrind runs one thread at a
 * time, between superblocks, so one counter in memory serves all: it is exchanged when another thread gets its turn.
 *
 * What an instruction that faults leaves uncounted: those of its superblock since the exit before it. */
#include "icount.h"

#include "tracer/icount/memory.h"
#include "tracer/icount/memory_events.h"

#include <valgrind/pub_tool_basics.h>
#include <valgrind/pub_tool_vki.h>

#include <valgrind/config.h>
#include <valgrind/pub_tool_libcassert.h>
#include <valgrind/pub_tool_libcbase.h>
#include <valgrind/pub_tool_libcprint.h>
#include <valgrind/pub_tool_libcproc.h>
#include <valgrind/pub_tool_machine.h>
#include <valgrind/pub_tool_mallocfree.h>
#include <valgrind/pub_tool_options.h>
#include <valgrind/pub_tool_threadstate.h>
#include <valgrind/pub_tool_tooliface.h>

static Bool option_rep_once = True;
static Bool option_summary = False;
static Bool option_memory = False;

static ULong running_count;     /* of the running thread; the translated program adds to it */
static ThreadId running_thread; /* 0 while none has run, or when the last one has exited */
static ULong* resting_counts;   /* of the other threads, by ThreadId */
static ULong exited_count;      /* of all threads that have exited */

static void give_turn_to(ThreadId thread) {
  if (thread == running_thread) return;
  if (running_thread != 0) resting_counts[running_thread] = running_count;
  running_thread = thread;
  running_count = resting_counts[thread];
  if (option_memory) memory_give_turn_to(thread);
}

static void start_client_code(ThreadId thread, ULong blocks_dispatched) {
  give_turn_to(thread);
}

static void thread_starts(ThreadId parent, ThreadId child) {
  resting_counts[child] = 0;
}

static void thread_exits(ThreadId thread) {
  give_turn_to(thread);
  exited_count += running_count;
  running_count = 0;
  resting_counts[thread] = 0;
  running_thread = 0;
  if (option_memory) memory_thread_exits(thread);
}

static ULong thread_count(UWord thread) {
  if (thread == running_thread) return running_count;
  return thread < VG_N_THREADS ? resting_counts[thread] : 0;
}

static ULong process_count(void) {
  ULong sum = exited_count + running_count;
  for (UInt thread = 1; thread < VG_N_THREADS; ++thread)
    if (thread != running_thread) sum += resting_counts[thread];
  return sum;
}

/* Only the calling thread lives on in a forked child; what the others did before remains in the process's count. */
static void forked_child_starts(ThreadId thread) {
  give_turn_to(thread);
  for (UInt other = 1; other < VG_N_THREADS; ++other) {
    if (other == thread) continue;
    exited_count += resting_counts[other];
    resting_counts[other] = 0;
  }
}

/* Where a call of MPI begins or ends; the answer is the number of values written. */
static UWord answer_memory_request(UWord request, ULong* values) {
  if (!option_memory) return 0;
  if (request == ICOUNT_REQUEST_MEMORY_PAUSE) memory_pause();
  if (request == ICOUNT_REQUEST_MEMORY_GO_ON) memory_go_on();
  if (request == ICOUNT_REQUEST_MEMORY_FORGET) memory_forget();
  memory_read(values, running_count);
  return MEMORY_EVENTS;
}

static Bool answer_request(ThreadId thread, UWord* arguments, UWord* answer) {
  give_turn_to(thread);
  switch (arguments[0]) {
  case ICOUNT_REQUEST_ABI:
    *answer = ICOUNT_ABI_VERSION;
    return True;
  case ICOUNT_REQUEST_THREAD:
    *answer = running_count;
    return True;
  case ICOUNT_REQUEST_PROCESS:
    *answer = process_count();
    return True;
  case ICOUNT_REQUEST_VALGRIND:
    *answer = ICOUNT_VALGRIND_MAJOR * __VALGRIND_MAJOR__ + __VALGRIND_MINOR__;
    return True;
  case ICOUNT_REQUEST_THREAD_NUMBER:
    *answer = thread;
    return True;
  case ICOUNT_REQUEST_OF_THREAD:
    *answer = thread_count(arguments[1]);
    return True;
  case ICOUNT_REQUEST_MEMORY_PAUSE:
  case ICOUNT_REQUEST_MEMORY_GO_ON:
  case ICOUNT_REQUEST_MEMORY_FORGET:
    *answer = answer_memory_request(arguments[0], (ULong*)arguments[1]);
    return True;
  default:
    return False;
  }
}

static IRTemp assign(IRSB* block, IRType type, IRExpr* value) {
  IRTemp temporary = newIRTemp(block->tyenv, type);
  addStmtToIRSB(block, IRStmt_WrTmp(temporary, value));
  return temporary;
}

static IRExpr* sum(IRSB* block, IRExpr* left, IRExpr* right) {
  return IRExpr_RdTmp(assign(block, Ity_I64, IRExpr_Binop(Iop_Add64, left, right)));
}

/* running_count += count + (condition ? 1 : 0); no condition: NULL. */
static void add_to_count(IRSB* block, ULong count, IRExpr* condition) {
  if (count == 0 && condition == NULL) return;
  IRExpr* address = mkIRExpr_HWord((HWord)&running_count);
  IRExpr* value = IRExpr_RdTmp(assign(block, Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, address)));
  if (condition != NULL)
    value = sum(block, value, IRExpr_RdTmp(assign(block, Ity_I64, IRExpr_Unop(Iop_1Uto64, condition))));
  if (count != 0) value = sum(block, value, IRExpr_Const(IRConst_U64(count)));
  addStmtToIRSB(block, IRStmt_Store(Iend_LE, address, value));
}

/* A string instruction with a repeat prefix: the processor counts it once, Valgrind executes it once per element. */
static Bool repeats(Addr address, UInt length) {
  const UChar* byte = (const UChar*)address;
  const UChar* end = byte + length;
  Bool repeat_prefix = False;
  for (; byte + 1 < end; ++byte) {
    const Bool other_prefix = *byte == 0x66 || *byte == 0x67 || (*byte & 0xf0) == 0x40;
    if (*byte == 0xf2 || *byte == 0xf3)
      repeat_prefix = True;
    else if (!other_prefix)
      break;
  }
  const Bool string_operation = (*byte >= 0xa4 && *byte <= 0xa7) || (*byte >= 0xaa && *byte <= 0xaf);
  return repeat_prefix && string_operation;
}

/* Where the translation of a superblock stands. */
typedef struct {
  ULong executed;        /* instructions executed, not yet added to the counter, the current one included... */
  Addr address;          /* ... which stands here */
  Bool repeating;        /* ... unless it repeats: then it counts when it is done with its last element */
  Bool compare_and_swap; /* it has tried one; trying again is not another instruction */
} Progress;

static void enter_instruction(Progress* progress, Addr address, UInt length) {
  /* Valgrind unrolls loops: the next element of the same string instruction is not another instruction. */
  if (progress->repeating && progress->address != address) progress->executed += 1;
  progress->address = address;
  progress->repeating = option_rep_once && length >= 2 && repeats(address, length);
  progress->compare_and_swap = False;
  if (!progress->repeating) progress->executed += 1;
}

static Bool is_address(const IRConst* constant, Addr address) {
  return constant->tag == Ico_U64 && constant->Ico.U64 == address;
}

static Bool raises_signal(IRJumpKind kind) {
  return kind == Ijk_SigILL || kind == Ijk_SigTRAP || kind == Ijk_SigSEGV || kind == Ijk_SigBUS || kind == Ijk_SigFPE ||
         kind == Ijk_SigFPE_IntDiv || kind == Ijk_SigFPE_IntOvf || kind == Ijk_EmFail;
}

static void count_before_exit(IRSB* block, Progress* progress, const IRStmt* exit) {
  const Bool again = is_address(exit->Ist.Exit.dst, progress->address);
  if (raises_signal(exit->Ist.Exit.jk)) return; /* every aligned vector access has one, and it is not taken */
  if (again && progress->compare_and_swap && !progress->repeating) {
    add_to_count(block, progress->executed - 1, NULL);
    progress->executed = 1;
    return;
  }
  add_to_count(block, progress->executed, progress->repeating && !again ? exit->Ist.Exit.guard : NULL);
  progress->executed = 0;
}

static void count_before_end(IRSB* block, Progress* progress) {
  const Bool again = block->next->tag == Iex_Const && is_address(block->next->Iex.Const.con, progress->address);
  if (progress->repeating && !again) progress->executed += 1;
  add_to_count(block, progress->executed, NULL);
}

/* Called by the program when it is about to die of an instruction that Valgrind cannot translate. */
static void report_unknown_instruction(HWord address) {
  static Bool reported = False;
  const UChar evex_prefix = 0x62;
  if (reported) return;
  reported = True;
  if (*(const UChar*)address == evex_prefix)
    VG_(umsg)
    ("icount: the program executes an AVX-512 instruction, which Valgrind does not know: "
     "build it with -mno-avx512f\n");
  else
    VG_(umsg)("icount: the program executes an instruction that Valgrind does not know, at %#lx\n", address);
}

static void report_before_end(IRSB* block, Addr address) {
  addStmtToIRSB(block, IRStmt_Dirty(unsafeIRDirty_0_N(1, "report_unknown_instruction",
                                                      VG_(fnptr_to_fnentry)(&report_unknown_instruction),
                                                      mkIRExprVec_1(mkIRExpr_HWord(address)))));
}

static IRSB* instrument(VgCallbackClosure* closure, IRSB* original, const VexGuestLayout* layout,
                        const VexGuestExtents* extents, const VexArchInfo* architecture, IRType guest_word,
                        IRType host_word) {
  IRSB* block = deepCopyIRSBExceptStmts(original);
  Progress progress = {0, 0, False, False};
  MemoryProgress memory;
  if (option_memory) memory = memory_begin_block(original);
  for (Int i = 0; i < original->stmts_used; ++i) {
    IRStmt* statement = original->stmts[i];
    if (statement == NULL || statement->tag == Ist_NoOp) continue;
    if (statement->tag == Ist_IMark) enter_instruction(&progress, statement->Ist.IMark.addr, statement->Ist.IMark.len);
    if (statement->tag == Ist_CAS) progress.compare_and_swap = True;
    if (option_memory) memory_before_statement(block, &memory, statement, i);
    if (statement->tag == Ist_Exit) count_before_exit(block, &progress, statement);
    if (statement->tag == Ist_Exit && option_memory && !raises_signal(statement->Ist.Exit.jk))
      memory_add_counts(block, &memory);
    addStmtToIRSB(block, statement);
  }
  count_before_end(block, &progress);
  if (option_memory) memory_end_block(block, &memory);
  if (block->jumpkind == Ijk_NoDecode) report_before_end(block, progress.address);
  return block;
}

static Bool read_option(const HChar* option) {
  if VG_BOOL_CLO (option, "--rep-once", option_rep_once) return True;
  if VG_BOOL_CLO (option, "--summary", option_summary) return True;
  if VG_BOOL_CLO (option, "--memory", option_memory) return True;
  return False;
}

static void print_usage(void) {
  VG_(printf)
  ("    --rep-once=no|yes         count a repeated string instruction once, as processors do [yes]\n"
   "    --summary=no|yes          print the process's count when it ends [no]\n"
   "    --memory=no|yes           find reuse distances of memory accesses, too [no]\n");
}

static void print_debug_usage(void) {
  VG_(printf)("    (none)\n");
}

static void begin(void) {
  VG_(atfork)(NULL, NULL, forked_child_starts);
  if (option_memory) memory_begin();
}

static void end(Int exit_code) {
  if (option_summary) VG_(umsg)("icount: %llu instructions\n", process_count());
}

static void describe_tool(void) {
  VG_(details_name)("icount");
  VG_(details_version)(NULL);
  VG_(details_description)("an exact counter of instructions");
  VG_(details_copyright_author)("GPL-2 or later, by the authors of Timeless.");
  VG_(details_bug_reports_to)("the Timeless project");
  VG_(details_avg_translation_sizeB)(275);
  VG_(basic_tool_funcs)(begin, instrument, end);
  VG_(needs_command_line_options)(read_option, print_usage, print_debug_usage);
  VG_(needs_client_requests)(answer_request);
  VG_(track_start_client_code)(start_client_code);
  VG_(track_pre_thread_ll_create)(thread_starts);
  VG_(track_pre_thread_ll_exit)(thread_exits);
  resting_counts = VG_(calloc)("icount.resting_counts", VG_N_THREADS + 1, sizeof(ULong));
}
VG_DETERMINE_INTERFACE_VERSION(describe_tool)
