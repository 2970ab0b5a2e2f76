# What a program needs that reads archives: installed below include/timeless, as Timeless::trace (docs/reading-archives.md).
# A header that one of these includes belongs here, too; the test of the installed tree fails without it.
set(timeless_trace_headers
  action.h
  action_block.h
  action_kind.h
  action_kinds.def
  archive/definitions.h
  archive/format.h
  archive/reader.h
  dictionary.h
  encoding/folded_sequence.h
  encoding/structure.h
  ids.h
  list_memory.h
  run.h
  source.h
  times.h)
