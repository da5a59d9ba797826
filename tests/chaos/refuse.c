/* Preloaded: while the file REEVE_REFUSES exists, what is written or synced below REEVE_STATE fails with EIO. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static int refused(int file) {
  const char *flag = getenv("REEVE_REFUSES"), *state = getenv("REEVE_STATE");
  char link[64], path[PATH_MAX];
  int kept = errno;
  ssize_t length;
  if (!flag || !state || access(flag, F_OK) != 0) {
    errno = kept;
    return 0;
  }
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  length = readlink(link, path, sizeof path - 1);
  errno = kept;
  if (length < 0) return 0;
  path[length] = 0;
  if (strncmp(path, state, strlen(state)) != 0) return 0;
  errno = EIO;
  return 1;
}

int fsync(int file) { return refused(file) ? -1 : (int)syscall(SYS_fsync, file); }
int fdatasync(int file) { return refused(file) ? -1 : (int)syscall(SYS_fdatasync, file); }

ssize_t pwrite64(int file, const void *bytes, size_t length, off64_t at) {
  return refused(file) ? -1 : syscall(SYS_pwrite64, file, bytes, length, at);
}
ssize_t pwrite(int file, const void *bytes, size_t length, off_t at) {
  return refused(file) ? -1 : syscall(SYS_pwrite64, file, bytes, length, at);
}
