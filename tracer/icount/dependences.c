/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tracer/icount/dependences.h"

#include <valgrind/pub_tool_libcbase.h>
#include <valgrind/pub_tool_mallocfree.h>

/* Nominal latencies in cycles. */
enum {
  latency_load = 4,
  latency_add = 3,
  latency_multiply = 4,
  latency_integer_product = 3,
  latency_convert = 4,
  latency_division = 13,
  latency_integer_division = 18
};

static Bool is_division(IROp operation) {
  switch (operation) {
  case Iop_DivF64:
  case Iop_DivF32:
  case Iop_SqrtF64:
  case Iop_SqrtF32:
  case Iop_Div32F0x4:
  case Iop_Sqrt32F0x4:
  case Iop_Div64F0x2:
  case Iop_Sqrt64F0x2:
  case Iop_Div32Fx4:
  case Iop_Sqrt32Fx4:
  case Iop_Div64Fx2:
  case Iop_Sqrt64Fx2:
  case Iop_Div64Fx4:
  case Iop_Div32Fx8:
  case Iop_Sqrt32Fx8:
  case Iop_Sqrt64Fx4:
    return True;
  default:
    return False;
  }
}

static Bool is_integer_division(IROp operation) {
  return operation >= Iop_DivU32 && operation <= Iop_DivModU32to32;
}

static Bool is_sum(IROp operation) {
  switch (operation) {
  case Iop_AddF64:
  case Iop_SubF64:
  case Iop_AddF32:
  case Iop_SubF32:
  case Iop_Add32F0x4:
  case Iop_Sub32F0x4:
  case Iop_Add64F0x2:
  case Iop_Sub64F0x2:
  case Iop_Add32Fx4:
  case Iop_Sub32Fx4:
  case Iop_Add64Fx2:
  case Iop_Sub64Fx2:
  case Iop_Add64Fx4:
  case Iop_Sub64Fx4:
  case Iop_Add32Fx8:
  case Iop_Sub32Fx8:
  case Iop_CmpF64:
  case Iop_CmpF32:
  case Iop_Max64F0x2:
  case Iop_Min64F0x2:
  case Iop_Max64Fx2:
  case Iop_Min64Fx2:
    return True;
  default:
    return False;
  }
}

static Bool is_product(IROp operation) {
  switch (operation) {
  case Iop_MulF64:
  case Iop_MulF32:
  case Iop_Mul32F0x4:
  case Iop_Mul64F0x2:
  case Iop_Mul32Fx4:
  case Iop_Mul64Fx2:
  case Iop_Mul64Fx4:
  case Iop_Mul32Fx8:
  case Iop_MAddF32:
  case Iop_MSubF32:
  case Iop_MAddF64:
  case Iop_MSubF64:
    return True;
  default:
    return False;
  }
}

/* What only Valgrind's intermediate language needs: parts of registers, and registers of parts. */
static Bool is_formal(IROp operation) {
  switch (operation) {
  case Iop_8Uto64:
  case Iop_16Uto64:
  case Iop_32Uto64:
  case Iop_8Uto32:
  case Iop_16Uto32:
  case Iop_64to32:
  case Iop_64to16:
  case Iop_64to8:
  case Iop_32to8:
  case Iop_32to16:
  case Iop_64HIto32:
  case Iop_32HLto64:
  case Iop_128HIto64:
  case Iop_128to64:
  case Iop_64HLto128:
  case Iop_1Uto64:
  case Iop_1Uto32:
  case Iop_1Uto8:
  case Iop_64to1:
  case Iop_32to1:
  case Iop_Not1:
  case Iop_ReinterpF64asI64:
  case Iop_ReinterpI64asF64:
  case Iop_ReinterpF32asI32:
  case Iop_ReinterpI32asF32:
  case Iop_V128to64:
  case Iop_V128HIto64:
  case Iop_64HLtoV128:
  case Iop_64UtoV128:
  case Iop_SetV128lo64:
  case Iop_ZeroHI64ofV128:
  case Iop_ZeroHI96ofV128:
  case Iop_32UtoV128:
  case Iop_V128to32:
  case Iop_SetV128lo32:
  case Iop_V256to64_0:
  case Iop_V256to64_1:
  case Iop_V256to64_2:
  case Iop_V256to64_3:
  case Iop_64x4toV256:
  case Iop_V256toV128_0:
  case Iop_V256toV128_1:
  case Iop_V128HLtoV256:
    return True;
  default:
    return False;
  }
}

static UInt latency_of(IROp operation) {
  if (is_formal(operation)) return 0;
  if (is_sum(operation)) return latency_add;
  if (is_product(operation)) return latency_multiply;
  if (is_division(operation)) return latency_division;
  if (is_integer_division(operation)) return latency_integer_division;
  if (operation >= Iop_Mul8 && operation <= Iop_Mul64) return latency_integer_product;
  if (operation >= Iop_MullS8 && operation <= Iop_MullU64) return latency_integer_product;
  if (operation >= Iop_F64toI16S && operation <= Iop_F64toF32) return latency_convert;
  return 1;
}

Bool divides(const IRStmt* statement) {
  if (statement->tag != Ist_WrTmp) return False;
  const IRExpr* data = statement->Ist.WrTmp.data;
  IROp operation = Iop_INVALID;
  if (data->tag == Iex_Unop) operation = data->Iex.Unop.op;
  if (data->tag == Iex_Binop) operation = data->Iex.Binop.op;
  if (data->tag == Iex_Triop) operation = data->Iex.Triop.details->op;
  return is_division(operation) || is_integer_division(operation);
}

/* The guest's registers in pieces of 8 bytes; what is addressed by a computed number (x87) shares the last piece. */
enum { pieces = 160, computed_piece = pieces - 1 };

/* When values are there, in cycles since the first execution of the block began. */
typedef struct {
  UInt registers[pieces];
  UInt* temporaries;
  UInt* addresses;    /* by temporary: likewise, but that the instruction's own address arithmetic takes no time */
  UInt* instructions; /* by temporary: where it was defined */
  UInt instruction;
  UInt load; /* latency */
} Times;

static UInt piece_at(Int offset) {
  const UInt piece = (UInt)offset / 8;
  return piece < computed_piece ? piece : computed_piece;
}

static UInt later(UInt left, UInt right) {
  return left > right ? left : right;
}

static UInt when_atom(const Times* times, const IRExpr* atom) {
  return atom != NULL && atom->tag == Iex_RdTmp ? times->temporaries[atom->Iex.RdTmp.tmp] : 0;
}

/* What loads and stores add up to an address is part of their latency. */
static Bool is_address_arithmetic(const IRExpr* e) {
  return e->tag == Iex_Binop && (e->Iex.Binop.op == Iop_Add64 || e->Iex.Binop.op == Iop_Shl64);
}

static UInt when_address(const Times* times, const IRExpr* atom) {
  if (atom->tag != Iex_RdTmp) return 0;
  const IRTemp temporary = atom->Iex.RdTmp.tmp;
  const Bool own = times->instructions[temporary] == times->instruction;
  return own ? times->addresses[temporary] : times->temporaries[temporary];
}

static void define(Times* times, IRTemp temporary, UInt when, UInt as_address) {
  times->temporaries[temporary] = when;
  times->addresses[temporary] = as_address;
  times->instructions[temporary] = times->instruction;
}

static UInt when_read(const Times* times, Int offset, IRType type) {
  UInt when = 0;
  for (Int byte = 0; byte < sizeofIRType(type); byte += 8)
    when = later(when, times->registers[piece_at(offset + byte)]);
  return when;
}

static UInt when_expression(const Times* times, const IRExpr* e) {
  switch (e->tag) {
  case Iex_RdTmp:
    return when_atom(times, e);
  case Iex_Get:
    return when_read(times, e->Iex.Get.offset, e->Iex.Get.ty);
  case Iex_GetI:
    return times->registers[computed_piece];
  case Iex_Unop:
    return when_atom(times, e->Iex.Unop.arg) + latency_of(e->Iex.Unop.op);
  case Iex_Binop:
    return later(when_atom(times, e->Iex.Binop.arg1), when_atom(times, e->Iex.Binop.arg2)) +
           latency_of(e->Iex.Binop.op);
  case Iex_Triop: {
    const IRTriop* three = e->Iex.Triop.details;
    return later(when_atom(times, three->arg2), when_atom(times, three->arg3)) + latency_of(three->op);
  }
  case Iex_Qop: {
    const IRQop* four = e->Iex.Qop.details;
    return later(later(when_atom(times, four->arg2), when_atom(times, four->arg3)), when_atom(times, four->arg4)) +
           latency_of(four->op);
  }
  case Iex_Load:
    return when_address(times, e->Iex.Load.addr) + times->load;
  case Iex_ITE:
    return later(when_atom(times, e->Iex.ITE.cond),
                 later(when_atom(times, e->Iex.ITE.iftrue), when_atom(times, e->Iex.ITE.iffalse))) +
           1;
  case Iex_CCall: {
    UInt when = 0;
    for (IRExpr** argument = e->Iex.CCall.args; *argument != NULL; ++argument)
      when = later(when, when_atom(times, *argument));
    return when + 1;
  }
  default:
    return 0;
  }
}

static void pass(const IRSB* block, Times* times) {
  for (Int i = 0; i < block->stmts_used; ++i) {
    const IRStmt* statement = block->stmts[i];
    switch (statement->tag) {
    case Ist_IMark:
      ++times->instruction;
      break;
    case Ist_WrTmp: {
      const IRExpr* data = statement->Ist.WrTmp.data;
      const UInt when = when_expression(times, data);
      const UInt as_address = is_address_arithmetic(data) ? later(when_address(times, data->Iex.Binop.arg1),
                                                                  when_address(times, data->Iex.Binop.arg2))
                                                          : when;
      define(times, statement->Ist.WrTmp.tmp, when, as_address);
      break;
    }
    case Ist_Put: {
      const UInt when = when_atom(times, statement->Ist.Put.data);
      const Int bytes = sizeofIRType(typeOfIRExpr(block->tyenv, statement->Ist.Put.data));
      for (Int byte = 0; byte < bytes; byte += 8)
        times->registers[piece_at(statement->Ist.Put.offset + byte)] = when;
      break;
    }
    case Ist_PutI:
      times->registers[computed_piece] = when_atom(times, statement->Ist.PutI.details->data);
      break;
    case Ist_LoadG: {
      const UInt when = when_address(times, statement->Ist.LoadG.details->addr) + times->load;
      define(times, statement->Ist.LoadG.details->dst, when, when);
      break;
    }
    default: /* what dirty calls and compare-and-swap return is taken to be there */
      break;
    }
  }
}

static UInt latest_register(const Times* times) {
  UInt latest = 0;
  for (UInt piece = 0; piece < pieces; ++piece)
    latest = later(latest, times->registers[piece]);
  return latest;
}

/* Of the addresses of loads, how much later they are known from one execution of the block to the next. */
static void execute(const IRSB* block, UInt load, UInt* chain, UInt* addresses) {
  const UInt warm = 2; /* executions until only what goes round remains */
  const UInt executions = 4;
  Times times;
  VG_(memset)(&times, 0, sizeof times);
  times.load = load;
  const SizeT count = (SizeT)block->tyenv->types_used + 1;
  times.temporaries = VG_(calloc)("icount.dependences", 3 * count, sizeof(UInt));
  times.addresses = times.temporaries + count;
  times.instructions = times.addresses + count;
  UInt begun = 0;
  for (UInt execution = 0; execution < warm + executions; ++execution) {
    pass(block, &times);
    const Bool last = execution + 1 == warm + executions;
    if (execution + 1 == warm) begun = latest_register(&times);
    for (Int i = 0; i < block->stmts_used; ++i) {
      const IRStmt* statement = block->stmts[i];
      if (statement->tag != Ist_WrTmp || statement->Ist.WrTmp.data->tag != Iex_Load) continue;
      const UInt known = when_atom(&times, statement->Ist.WrTmp.data->Iex.Load.addr);
      if (execution + 1 == warm) addresses[i] = known;
      if (last) addresses[i] = known - addresses[i];
    }
  }
  *chain = (latest_register(&times) - begun) * WAIT_PARTS / executions;
  VG_(free)(times.temporaries);
}

Addr entry_of(const IRSB* block) {
  for (Int i = 0; i < block->stmts_used; ++i)
    if (block->stmts[i]->tag == Ist_IMark) return block->stmts[i]->Ist.IMark.addr;
  return 0;
}

static Bool goes_to(const IRConst* target, Addr address) {
  return target->tag == Ico_U64 && target->Ico.U64 == address;
}

static Bool goes_round(const IRSB* block) {
  const Addr entry = entry_of(block);
  if (block->next->tag == Iex_Const && goes_to(block->next->Iex.Const.con, entry)) return True;
  for (Int i = 0; i < block->stmts_used; ++i)
    if (block->stmts[i]->tag == Ist_Exit && goes_to(block->stmts[i]->Ist.Exit.dst, entry)) return True;
  return False;
}

Dependences dependences_of(const IRSB* block, UInt instructions) {
  const UInt slow = 64; /* makes what waits for loads stand out */
  const SizeT statements = (SizeT)block->stmts_used + 1;
  UInt* addresses = VG_(calloc)("icount.dependences", statements, sizeof(UInt));
  UInt* slow_addresses = VG_(calloc)("icount.dependences", statements, sizeof(UInt));
  UInt chain;
  UInt slow_chain;
  execute(block, latency_load, &chain, addresses);
  execute(block, latency_load + slow, &slow_chain, slow_addresses);
  const UInt issue = instructions * WAIT_PARTS / 4;
  Dependences found = {goes_round(block) && chain > issue ? chain - issue : 0,
                       VG_(calloc)("icount.dependences", statements, sizeof(Bool))};
  for (Int i = 0; i < block->stmts_used; ++i)
    found.chained[i] = slow_addresses[i] >= addresses[i] + slow;
  VG_(free)(addresses);
  VG_(free)(slow_addresses);
  return found;
}

void dependences_free(Dependences* dependences) {
  VG_(free)(dependences->chained);
}
