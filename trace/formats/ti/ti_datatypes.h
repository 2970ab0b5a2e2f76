#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace timeless::trace::formats {

/// Bytes of the datatypes that SimGrid's text names by number: those of its predefined ones, in their order, on 64-bit
/// Linux. Those of no size (the bounds) have 0.
inline constexpr std::array<std::uint8_t, 60> ti_datatypes{
    8,  4,  1,  2,  8,  4, 1,  8,  1, 1, // DOUBLE INT CHAR SHORT LONG FLOAT BYTE LONG_LONG SIGNED_CHAR UNSIGNED_CHAR
    2,  4,  8,  8,  16, 4, 1,  1,  2, 4, // UNSIGNED_SHORT ... LONG_DOUBLE WCHAR C_BOOL INT8_T INT16_T INT32_T
    8,  1,  2,  4,  8,  8, 16, 32, 8, 8, // INT64_T UINT8_T ... C_FLOAT_COMPLEX C_DOUBLE_COMPLEX ... AINT OFFSET
    8,  16, 16, 8,  8,  8, 16, 16, 4, 4, // FLOAT_INT LONG_INT DOUBLE_INT SHORT_INT 2INT 2FLOAT 2DOUBLE 2LONG REAL REAL4
    8,  16, 8,  16, 16, 4, 2,  4,  8, 16, // REAL8 REAL16 COMPLEX8 COMPLEX16 COMPLEX32 INTEGER1 ... INTEGER16
    32, 1,  8,  16, 32, 0, 0,  1,  8, 8,  // LONG_DOUBLE_INT CXX_BOOL CXX_... UB LB PACKED PTR COUNT
};

/// Returns the bytes of the datatype of this number; nothing when there is none. SimGrid gives -1, no datatype, no
/// bytes.
constexpr std::optional<std::uint64_t> ti_datatype_bytes(int id) {
  if (id == -1) return 0;
  if (id < 0 || id >= static_cast<int>(ti_datatypes.size())) return std::nullopt;
  return ti_datatypes[static_cast<std::size_t>(id)];
}

} // namespace timeless::trace::formats
