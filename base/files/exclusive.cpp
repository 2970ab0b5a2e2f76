#include "base/files/exclusive.h"

#include <fcntl.h>

namespace timeless {

int open_exclusively(const std::filesystem::path& path, int access) {
  constexpr mode_t as_the_umask_says = 0666;
  return ::open(path.c_str(), access | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, as_the_umask_says);
}

} // namespace timeless
