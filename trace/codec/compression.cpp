#include "trace/codec/compression.h"

#include "base/error.h"
#include "trace/codec/format.h"

#include <zstd.h>

#include <memory>
#include <utility>

namespace timeless::trace {

namespace {

/// Returns this thread's compression context; a new one when the thread's data is gone already: a recorded program may
/// end MPI, and with it its trace, from a handler that runs at exit.
ZSTD_CCtx* compression_context() {
  static thread_local ZSTD_CCtx* context = nullptr;
  static thread_local const struct Owner {
    ~Owner() { ZSTD_freeCCtx(std::exchange(context, nullptr)); }
  } owner;
  if (context == nullptr) context = ZSTD_createCCtx();
  return context;
}

struct FreeContext {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

} // namespace

void compress(std::string_view plain, int level, std::string& stored) {
  stored.resize(ZSTD_compressBound(plain.size()));
  const std::size_t size =
      ZSTD_compressCCtx(compression_context(), stored.data(), stored.size(), plain.data(), plain.size(), level);
  if (ZSTD_isError(size)) throw Error(Failure::runtime, std::string("compression failed: ") + ZSTD_getErrorName(size));
  stored.resize(size);
}

std::string decompress(std::string_view stored, std::uint32_t plain_bytes) {
  if (plain_bytes > max_block_bytes) throw Error(Failure::invalid_input, "a block larger than blocks can be");
  static thread_local const std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx());
  std::string plain(plain_bytes, '\0');
  const std::size_t size = ZSTD_decompressDCtx(context.get(), plain.data(), plain.size(), stored.data(), stored.size());
  if (ZSTD_isError(size))
    throw Error(Failure::invalid_input, std::string("a block that does not decompress: ") + ZSTD_getErrorName(size));
  if (size != plain_bytes) throw Error(Failure::invalid_input, "a block of another size than its header says");
  return plain;
}

} // namespace timeless::trace
