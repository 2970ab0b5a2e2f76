#!/usr/bin/env python3
"""Makes the wrappers of every MPI call in calls.def.

usage: generate_wrappers.py calls.def OUTPUT_DIRECTORY

Writes mpi_functions.inc (the PMPI functions), prototypes.inc and mpi_4.0_prototypes.inc (what mpi.h is to declare; of later
versions, too), call_ids.inc (the calls with their classes), large_call_ids.inc (their forms with large counts), bodies.h and bodies.cpp (what C and Fortran
share), wrappers_c.cpp and wrappers_fortran.cpp.
"""
import re
import sys
from dataclasses import dataclass, replace
from pathlib import Path

NOTICE = "// Generated from calls.def by generate_wrappers.py; change those.\n"

# kind: (C declaration, Fortran declaration, the Fortran argument as a C value)
VALUES = {
    "in": ("const void* {0}", "void* {0}_f", "fortran::buffer({0}_f)"),
    "out": ("void* {0}", "void* {0}_f", "fortran::buffer({0}_f)"),
    "address": ("void* {0}", "void* {0}_f", "{0}_f"),
    "int": ("int {0}", "const MPI_Fint* {0}_f", "*{0}_f"),
    "aint": ("MPI_Aint {0}", "const MPI_Aint* {0}_f", "*{0}_f"),
    "offset": ("MPI_Offset {0}", "const MPI_Offset* {0}_f", "*{0}_f"),
    "logical": ("int {0}", "const MPI_Fint* {0}_f", "fortran::truth(*{0}_f)"),
    "ints": ("const int {0}[]", "const MPI_Fint* {0}_f", "{0}_f"),
    "aints": ("const MPI_Aint {0}[]", "const MPI_Aint* {0}_f", "{0}_f"),
    "count": ("MPI_Count {0}", "", ""),
    "counts": ("const MPI_Count {0}[]", "", ""),
    "weights": ("const int {0}[]", "const MPI_Fint* {0}_f", "fortran::weights({0}_f)"),
}
HANDLES = {
    "comm": ("MPI_Comm", "Comm"),
    "group": ("MPI_Group", "Group"),
    "info": ("MPI_Info", "Info"),
    "datatype": ("MPI_Datatype", "Type"),
    "op": ("MPI_Op", "Op"),
    "request": ("MPI_Request", "Request"),
    "message": ("MPI_Message", "Message"),
    "win": ("MPI_Win", "Win"),
    "file": ("MPI_File", "File"),
    "errhandler": ("MPI_Errhandler", "Errhandler"),
    "session": ("MPI_Session", "Session"),
}
# kind: (C declaration, the class of fortran.h that converts it)
ARRAYS = {
    "logicals": ("const int {0}[]", "Logicals"),
    "datatypes": ("ProgramHandles<const MPI_Datatype> {0}", "Datatypes"),
    "requests": ("ProgramHandles<const MPI_Request> {0}", ""),
    "requests_inout": ("ProgramHandles<MPI_Request> {0}", "Requests"),
    "statuses_out": ("MPI_Status {0}[]", "Statuses"),
}
# What MPI's Fortran procedures alone can convert.
FORTRAN_ONLY = {
    "strings": "char* {0}[]",
    "string_lists": "char** {0}[]",
    "infos": "const MPI_Info {0}[]",
    "errcodes": "int {0}[]",
    "query_function": "MPI_Grequest_query_function* {0}",
    "free_function": "MPI_Grequest_free_function* {0}",
    "cancel_function": "MPI_Grequest_cancel_function* {0}",
}
TEXTS = ("string", "strings", "string_lists")  # Fortran passes the length of each at the end
C_ONLY = {"argc": "int* {0}", "argv": "char*** {0}"}
# What MPI-4 gives another type in the form of a call that takes large counts (MPI_Send_c), by the argument's name.
COUNTS = ("count", "sendcount", "recvcount", "origin_count", "target_count", "result_count")
LARGE = {name: kind for names, kind in (
    (COUNTS, "count"), (("sendcounts", "recvcounts"), "counts"), (("displs", "sdispls", "rdispls"), "aints"),
    (("disp_unit",), "aint")) for name in names}
# Further Fortran names of a call, where mpi.mod knows it by two.
FURTHER_NAMES = {
    "Win_allocate": ["win_allocate_cptr"],
    "Win_allocate_shared": ["win_allocate_shared_cptr"],
}


@dataclass
class Argument:
    kind: str
    name: str
    length: str = ""


@dataclass
class Call:
    name: str
    arguments: list
    family: str
    recording: str
    kinds: list  # as the row names them
    since: str = ""  # the MPI that the call came with, after 3.1: "4.0"

    @property
    def recorded_as(self):
        """The kinds of actions that the call makes."""
        if self.kinds or self.by_hand:
            return self.kinds
        named = re.search(r"ActionKind::(\w+)", self.recording)
        return [named[1] if named else self.recording.partition("(")[0]]

    @property
    def call_id(self):
        """The call as the trace and the journal name it."""
        return self.name.removesuffix("_c")

    @property
    def large(self):
        """The same call with large counts, or None."""
        sized = self.has("datatype") or any(argument.name in ("sendtypes", "disp_unit") for argument in self.arguments)
        changed = [replace(argument, kind=LARGE.get(argument.name, argument.kind)) for argument in self.arguments]
        return replace(self, name=f"{self.name}_c", arguments=changed) if sized and changed != self.arguments else None

    @property
    def by_hand(self):
        return self.recording == "by hand"

    @property
    def forwarded(self):
        """The Fortran wrapper calls MPI's own Fortran procedure."""
        return any(argument.kind in FORTRAN_ONLY for argument in self.arguments)

    @property
    def asked_in_loops(self):
        """Asks without waiting, so that programs call it over and over."""
        return re.fullmatch(r"Test\w*|Im?probe|Request_get_status\w*|Parrived", self.name) is not None

    def has(self, kind):
        return any(argument.kind == kind for argument in self.arguments)


def split_arguments(text):
    """Splits at commas outside brackets and parentheses."""
    parts, depth, current = [], 0, ""
    for character in text:
        depth += character in "[(" and 1 or character in "])" and -1 or 0
        if character == "," and depth == 0:
            parts.append(current.strip())
            current = ""
        else:
            current += character
    return [part for part in parts + [current.strip()] if part]


def parse_argument(text):
    if text == "...":
        return Argument("...", "")
    match = re.fullmatch(r"(\w+)(?:\[(.*)\])? (\w+)", text)
    if not match:
        raise SystemExit(f"calls.def: no argument: {text}")
    return Argument(match[1], match[3], match[2] or "")


def parse(path):
    calls, used, optional = [], [], []
    for number, line in enumerate(Path(path).read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("uses "):
            used += line.split()[1:]
            continue
        if line.startswith("may use "):
            optional += line.split()[2:]
            continue
        match = re.fullmatch(r"(?:MPI-(\d\.\d) )?(\w+)\((.*?)\) : (\w+) : (by hand|\w+\(.*\))(?: as ([\w, ]+))?", line)
        if not match:
            raise SystemExit(f"calls.def:{number}: no row: {line}")
        calls.append(Call(match[2], [parse_argument(part) for part in split_arguments(match[3])], match[4], match[5],
                          [kind.strip() for kind in (match[6] or "").split(",") if kind.strip()], match[1] or ""))
    return calls, used, optional


def split_output(kind):
    """The base and the direction of a kind such as comm_out."""
    match = re.fullmatch(r"(\w+)_(out|inout)", kind)
    return (match[1], match[2]) if match else (kind, "")


def c_declaration(argument):
    kind, name = argument.kind, argument.name
    base, direction = split_output(kind)
    if kind == "...":
        return "..."
    if kind in VALUES:
        return VALUES[kind][0].format(name)
    if kind in ARRAYS:
        return ARRAYS[kind][0].format(name)
    if kind in C_ONLY:
        return C_ONLY[kind].format(name)
    if kind in FORTRAN_ONLY:
        return FORTRAN_ONLY[kind].format(name)
    if kind == "string":
        return f"const char* {name}"
    if kind == "indices_out":
        return f"int {name}[]"
    if kind == "status_out":
        return f"MPI_Status* {name}"
    if base in ("int", "index", "logical"):
        return f"int* {name}"
    if base == "offset":
        return f"MPI_Offset* {name}"
    if base in HANDLES:
        return f"{f'ProgramHandles<{HANDLES[base][0]}>' if direction else HANDLES[base][0]} {name}"
    raise SystemExit(f"calls.def: no kind {kind}")


def c_parameters(call):
    return ", ".join(c_declaration(argument) for argument in call.arguments)


def c_arguments(call):
    return ", ".join(argument.name for argument in call.arguments if argument.kind != "...")


def passed_arguments(call):
    """The same, with the handles among them as the tracer has them; files are pointers in every MPI."""
    return ", ".join(["call", *(f"passed({argument.name})" if argument.kind in HANDLES and argument.kind != "file"
                                else argument.name for argument in call.arguments if argument.kind != "...")])


def body_parameters(call):
    fixed = [c_declaration(argument) for argument in call.arguments if argument.kind != "..."]
    return ", ".join(["CallScope& call", *fixed])


def recording_of(call):
    return re.sub(r"\((?=.)", "(recorder, ", call.recording, count=1).replace("(recorder, )", "(recorder)")


def body(call):
    recording = recording_of(call)
    # A status that is recorded is asked for even where the program wants none.
    read = "  OutStatus read(status);\n  status = read.get();\n" if "*status" in call.recording else ""
    # A collective to which too much came has met the others all the same.
    record = "call.record_meeting(result, " if call.family == "collective" else "call.record(result, "
    return f"""
int {call.name}({body_parameters(call)}) {{
{read}  const int result = mpi().{call.name}({c_arguments(call)});
  {record}[&](Recorder& recorder) {{ record::{recording}; }});
  return result;
}}
"""


def partner(call, values):
    """Shows in the journal whom the call is about: what a receiving half waits for, where a call has two."""
    kinds = {argument.name: argument.kind for argument in call.arguments}
    shown = [next((name for name in names if kinds.get(name) == "int"), None)
             for names in (("source", "dest", "root"), ("tag", "recvtag"))]
    shown.append(next((name for name, kind in kinds.items() if kind == "comm"), None))
    if shown[2] is None:
        return []
    if shown[0] is None:
        shown[1] = None
    return [f"call.with({', '.join(values[name] for name in shown if name is not None)});"]


def c_wrapper(call):
    lines = partner(call, {argument.name: f"passed({argument.name})" if argument.kind == "comm" else argument.name
                           for argument in call.arguments})
    # A profiling layer calls MPI by the other name. What a tool makes of MPI_Pcontrol need not come to MPI.
    layered = "" if call.has("...") else f"""
  if (pmpi_chain.{call.name} != nullptr) [[unlikely]] {{
    const ChainedCall layered(__builtin_return_address(0));
    return pmpi_chain.{call.name}({c_arguments(call)});
  }}"""
    inlined = "[[gnu::flatten]] " if call.asked_in_loops else ""
    return f"""
{inlined}int MPI_{call.name}({c_parameters(call)}) {{{layered}
  CallScope call(CallId::{call.call_id}, __builtin_return_address(0));
  {"".join(line + chr(10) + "  " for line in lines)}return body::{call.name}({passed_arguments(call)});
}}
int PMPI_{call.name}({c_parameters(call)}) {{
  CallScope call(CallId::{call.call_id}, __builtin_return_address(0));
  {"".join(line + chr(10) + "  " for line in lines)}return body::{call.name}({passed_arguments(call)});
}}
"""


@dataclass
class Conversion:
    """How one argument of a Fortran wrapper becomes C and returns: declaration, lines before and after, C argument."""

    declaration: str = ""
    before: str = ""
    array: str = ""  # as before, but may use the other arguments' C values
    argument: str = ""
    after: str = ""
    hidden: str = ""  # the length of a string, which Fortran passes last


def convert(argument, call):
    kind, name = argument.kind, argument.name
    base, direction = split_output(kind)
    pointer = f"MPI_Fint* {name}_f"
    succeeded = "if (result == MPI_SUCCESS)"
    # A status is set only when something has completed.
    status_set = "if (result == MPI_SUCCESS && flag != 0)" if call.has("logical_out") else succeeded
    if kind in VALUES:
        _, declaration, value = VALUES[kind]
        return Conversion(declaration.format(name), before=f"const auto {name} = {value.format(name)};", argument=name)
    if kind in C_ONLY:
        return Conversion(argument="nullptr")
    if kind == "string":
        return Conversion(f"const char* {name}_f", f"const fortran::String {name}({name}_f, {name}_length);",
                          argument=f"{name}.c()", hidden=f"std::size_t {name}_length")
    if kind in ("logicals", "datatypes"):
        return Conversion(f"const {pointer}", array=f"const fortran::{ARRAYS[kind][1]} {name}({name}_f, {argument.length});",
                          argument=f"{name}.c()")
    if kind == "requests_inout":
        return Conversion(pointer, array=f"fortran::Requests {name}({name}_f, {argument.length});",
                          argument=f"{name}.c()", after=f"{name}.store();")
    if kind == "statuses_out":
        count = "outcount" if call.has("indices_out") else argument.length
        condition = "if (fortran::statuses_set(result))"
        if call.has("logical_out"):
            condition = "if (fortran::statuses_set(result) && flag != 0)"
        return Conversion(pointer, array=f"fortran::Statuses {name}({name}_f, {argument.length});",
                          argument=f"{name}.c()", after=f"{condition} {name}.store({count});")
    if kind == "indices_out":
        return Conversion(pointer, argument=f"{name}_f",
                          after=f"if (fortran::statuses_set(result)) fortran::count_from_one({name}_f, outcount);")
    if kind == "status_out":
        return Conversion(pointer, f"fortran::Status {name}({name}_f);", argument=f"{name}.c()",
                          after=f"{status_set} {name}.store();")
    if kind == "index_out":
        return Conversion(pointer, f"int {name} = mpi().undefined;", argument=f"&{name}",
                          after=f"{succeeded} *{name}_f = {name} == mpi().undefined ? {name} : {name} + 1;")
    if kind == "logical_out":
        return Conversion(pointer, f"int {name} = 0;", argument=f"&{name}",
                          after=f"{succeeded} *{name}_f = fortran::logical({name});")
    if kind == "int_out":
        return Conversion(pointer, f"int {name} = 0;", argument=f"&{name}", after=f"{succeeded} *{name}_f = {name};")
    if kind == "offset_out":
        return Conversion(f"MPI_Offset* {name}_f", argument=f"{name}_f")
    c_type, family = HANDLES[base]
    if not direction:
        return Conversion(f"const {pointer}", f"{c_type} const {name} = mpi().{family}_f2c(*{name}_f);", argument=name)
    start = f"(mpi().{family}_f2c(*{name}_f))" if direction == "inout" else ""
    return Conversion(pointer, f"OwnHandle<{c_type}> {name}{start};", argument=f"{name}.place()",
                      after=f"{succeeded} *{name}_f = mpi().{family}_c2f({name}.value());")


def layered_procedure(name, values):
    """The lines with which a Fortran procedure leaves a call to that of who stands between the program and C."""
    return f"""
  static const auto layer = reinterpret_cast<decltype(&{name})>(fortran_layer("{name}"));
  if (layer != nullptr) [[unlikely]] {{
    const FortranCall layered(__builtin_return_address(0));
    return layer({values});
  }}"""


def fortran_wrapper(call):
    conversions = [convert(argument, call) for argument in call.arguments if argument.kind != "..."]
    # MPI_Pcontrol is the one call whose Fortran form has no ierror.
    ierror = [] if call.has("...") else ["MPI_Fint* ierror"]
    declarations = [one.declaration for one in conversions if one.declaration]
    hidden = [one.hidden for one in conversions if one.hidden]
    arguments = ", ".join(["call", *(one.argument for one in conversions)])
    lines = [one.before for one in conversions if one.before] + [one.array for one in conversions if one.array]
    lines += partner(call, {argument.name: one.argument for argument, one in zip(
        (argument for argument in call.arguments if argument.kind != "..."), conversions)})
    returns_nothing = call.has("...")
    values = ", ".join(re.search(r"\w+$", one)[0] for one in declarations + ierror + hidden)
    lines.append(f"{'' if returns_nothing else 'const int result = '}body::{call.name}({arguments});")
    lines += [one.after for one in conversions if one.after]
    if not returns_nothing:
        lines.append("if (ierror != nullptr) *ierror = result;")
    text = "\n  ".join(lines)
    lower, upper = f"mpi_{call.name.lower()}", f"MPI_{call.name.upper()}"
    parameters = ", ".join(declarations + ierror + hidden)

    # mpi_f08 calls MPI by names of its own, which a layer may wrap, too, or leave alone.
    def exported(name):
        layered = "" if returns_nothing else layered_procedure(name, values)
        return f"""TIMELESS_EXPORT void {name}({parameters}) {{{layered}
  {lower}_called(__builtin_return_address(0), {values});
}}
"""

    # Takes a descriptor of each buffer, laid out as the compiler has it: MPI's own procedure calls C, which is recorded.
    described = f"""TIMELESS_EXPORT void {lower}_f08ts_({parameters}) {{
  static const auto procedure = fortran::procedure<decltype({lower}_f08ts_)>("{lower}_f08ts_");
  const FortranCall layered(__builtin_return_address(0));
  procedure({values});
}}
""" if any(call.has(kind) for kind in ("in", "out")) else ""

    result = f"""
[[gnu::always_inline]] static inline void {lower}_called(const void* site, {parameters}) {{
  CallScope call(CallId::{call.name}, site);
  {text}
}}
{exported(lower + "_")}{exported(lower + "_f08_")}{described}TIMELESS_FORTRAN_NAMES({lower}_, {lower}__, {upper})
"""
    for further in FURTHER_NAMES.get(call.name, []):
        name = f"mpi_{further}"
        result += f"TIMELESS_FORTRAN_NAMES({lower}_, {name}__, {name.upper()})\n"
        result += f"TIMELESS_FORTRAN_NAME({lower}_, {name}_)\nTIMELESS_FORTRAN_NAME({lower}_f08_, {name}_f08_)\n"
    return result


def c_value(argument):
    """The line that makes a C variable of a forwarded call's Fortran argument, after the call."""
    kind, name = argument.kind, argument.name
    base, direction = split_output(kind)
    if kind in VALUES:
        return f"const auto {name} = {VALUES[kind][2].format(name)};"
    family = HANDLES[base][1]
    value = f"mpi().{family}_f2c(*{name}_f)"
    if not direction:
        return f"const auto {name} = {value};"
    return f"OwnHandle<{HANDLES[base][0]}> {name}_c({value});\n    const auto {name} = {name}_c.place();"


def forwarding_procedure(call, name):
    """A Fortran wrapper that calls MPI's procedure of that name, and records what C would."""
    pointers = [f"MPI_Fint* {argument.name}_f" for argument in call.arguments]
    lengths = [f"{argument.name}_length" for argument in call.arguments if argument.kind in TEXTS]
    declarations = ", ".join(pointers + ["MPI_Fint* ierror"] + [f"std::size_t {length}" for length in lengths])
    def values_with(error):
        return ", ".join([f"{argument.name}_f" for argument in call.arguments] + [error] + lengths)

    plain, values = values_with("ierror"), values_with("&result")
    recorded = [c_value(argument) for argument in call.arguments if re.search(rf"\b{argument.name}\b", call.recording)]
    text = "\n    ".join(recorded + [f"record::{recording_of(call)};"])
    return f"""
TIMELESS_EXPORT void {name}({declarations}) {{{layered_procedure(name, plain)}
  CallScope call(CallId::{call.name}, __builtin_return_address(0));
  static const auto procedure = fortran::procedure<decltype({name})>("p{name}");
  MPI_Fint result = MPI_SUCCESS;
  procedure({values});
  call.record(result, [&](Recorder& recorder) {{
    {text}
  }});
  if (ierror != nullptr) *ierror = result;
}}
"""


def forwarding_wrapper(call):
    lower, upper = f"mpi_{call.name.lower()}", f"MPI_{call.name.upper()}"
    names = "".join(f"TIMELESS_FORTRAN_NAME({lower}_, {name})\n" for name in (f"{lower}__", upper))
    return forwarding_procedure(call, f"{lower}_") + names + forwarding_procedure(call, f"{lower}_f08_")


def main(table, directory):
    calls, used, optional = parse(table)
    directory = Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    large = [call.large for call in calls if call.large]
    before = [call for call in calls if not call.since]
    newer = [call for call in calls if call.since]
    functions = sorted({call.name for call in before} | set(used))
    optional = sorted([call.name for call in newer + large] + optional)

    def write(name, text):
        (directory / name).write_text(NOTICE + text)

    write("mpi_functions.inc", "".join(f"MPI_FUNCTION({name})\n" for name in functions) +
          "".join(f"MPI_OPTIONAL({name})\n" for name in optional))
    def write_prototypes(name, some):
        prototypes = "".join(f"PROTOTYPE({call.name}, ({c_parameters(call)}))\n" for call in some)
        write(name, re.sub(r"ProgramHandles<(.*?)>", r"HANDLES(\1)", prototypes))

    def write_ids(name, some):
        write(name, "".join(f"MPI_CALL({call.name}, {call.family})\n" for call in some))

    write_prototypes("prototypes.inc", before)
    for version, further in (("4.0", large), ("4.1", []), ("5.0", [])):
        write_prototypes(f"mpi_{version}_prototypes.inc", [call for call in newer if call.since == version] + further)
    write_ids("call_ids.inc", [call for call in calls if call.name == call.call_id])
    write_ids("large_call_ids.inc", large + [call for call in calls if call.name != call.call_id])
    write("bodies.h", """#pragma once

#include "tracer/mpi/program_handles.h"
#include "tracer/record/call_scope.h"

/// What a wrapper does once it has entered its scope, the same for C and Fortran.
namespace timeless::tracer::body {

""" + "".join(f"int {call.name}({body_parameters(call)});\n" for call in calls + large) + """
} // namespace timeless::tracer::body
""")
    write("bodies.cpp", """#include "bodies.h"

#include "tracer/mpi/mpi_library.h"
#include "tracer/record/actions/record.h"
#include "tracer/mpi/out_status.h"

namespace timeless::tracer::body {

using record::bytes_of;
using record::narrow_count;
using record::persistent;
using record::received_bytes;
using trace::ActionKind;
using trace::SendMode;
""" + "".join(body(call) for call in calls + large if not call.by_hand) + """
} // namespace timeless::tracer::body
""")
    write("wrappers_c.cpp", """#include "bodies.h"

#include "tracer/mpi/pmpi_chain.h"

using namespace timeless::tracer;

extern "C" {
""" + "".join(c_wrapper(call) for call in calls + large) + """
} // extern "C"
""")
    write("wrappers_fortran.cpp", """#include "bodies.h"

#include "tracer/wrappers/fortran.h"
#include "tracer/mpi/pmpi_chain.h"
#include "tracer/mpi/mpi_library.h"
#include "tracer/record/actions/record.h"

using namespace timeless::tracer;
using timeless::trace::ActionKind;

extern "C" {
""" + "".join(forwarding_wrapper(call) if call.forwarded else fortran_wrapper(call) for call in before) + """
} // extern "C"
""")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    main(sys.argv[1], sys.argv[2])
