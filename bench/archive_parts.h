#pragma once

/// What archive_speed measures, one function a subject; each prints a table.
namespace timeless::bench {

/// Measures sequences as loops: bytes beside zstd of the plain sequence, nanoseconds a symbol.
void measure_structure(int repeat);

/// Measures volumes as streams of one segment: bytes beside their entropy, zstd and compressed differences, nanoseconds
/// each.
void measure_volumes(int repeat);

/// Measures whole segments of one rank of generated programs, actions to payloads and back: nanoseconds and bytes an
/// action, beside zstd of the indices and of the differences of the volumes.
void measure_segments(int repeat);

} // namespace timeless::bench
