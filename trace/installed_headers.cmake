# What a program needs that reads archives: installed below include/timeless, as Timeless::trace (docs/reading-archives.md).
# A header that one of these includes belongs here, too; the test of the installed tree fails without it.
set(timeless_trace_headers
  model/action.h
  model/action_block.h
  model/action_kind.h
  model/action_kinds.def
  codec/definitions/definitions.h
  codec/format.h
  archive/reader.h
  model/dictionary.h
  codec/structure/folded_sequence.h
  codec/structure/structure.h
  model/ids.h
  model/list_memory.h
  model/run.h
  model/source.h
  model/times.h)
