#include "trace/archive/compression.h"

#include "trace/archive/format.h"
#include "trace/error.h"

#include <zstd.h>

#include <memory>

namespace timeless::trace {

namespace {

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

} // namespace

std::string compress(std::string_view plain, int level) {
  static thread_local const std::unique_ptr<ZSTD_CCtx, FreeContext> context(ZSTD_createCCtx());
  std::string stored(ZSTD_compressBound(plain.size()), '\0');
  const std::size_t size =
      ZSTD_compressCCtx(context.get(), stored.data(), stored.size(), plain.data(), plain.size(), level);
  if (ZSTD_isError(size)) throw Error(Failure::runtime, std::string("compression failed: ") + ZSTD_getErrorName(size));
  stored.resize(size);
  return stored;
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
