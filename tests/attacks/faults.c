/* Makes the n-th write of a family of processes fail, as a full or broken disk would.
 *
 * Loaded with LD_PRELOAD. Only files under FAULT_FOLDER count. FAULT_COUNTER is a file of eight bytes that all processes
 * share: every operation that changes a file adds one to it. The operation with number FAULT_AT fails with FAULT_ERRNO, and
 * with FAULT_FOREVER=1 all later ones do too.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static long *counter;
static long at = -1;
static int number = EIO, forever;
static const char *folder;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("FAULT_COUNTER");
    folder = getenv("FAULT_FOLDER");
    if (!path || !folder) return;
    int file = open(path, O_RDWR);
    if (file < 0) return;
    counter = mmap(0, sizeof(long), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (counter == MAP_FAILED) counter = 0;
    if (getenv("FAULT_AT")) at = atol(getenv("FAULT_AT"));
    if (getenv("FAULT_ERRNO")) number = atoi(getenv("FAULT_ERRNO"));
    forever = getenv("FAULT_FOREVER") != 0;
}

static int fails(const char *path) {
    if (!counter || !path || strncmp(path, folder, strlen(folder))) return 0;
    long now = __sync_add_and_fetch(counter, 1);
    if (at < 0 || !(now == at || (forever && now > at))) return 0;
    errno = number;
    return 1;
}

static int fails_at(int directory, const char *path) {
    char whole[2 * PATH_MAX], from[64], base[PATH_MAX];
    if (!counter) return 0;
    if (path[0] == '/') return fails(path);
    if (directory == AT_FDCWD) {
        if (!getcwd(base, sizeof base)) return 0;
    } else {
        snprintf(from, sizeof from, "/proc/self/fd/%d", directory);
        ssize_t size = readlink(from, base, sizeof base - 1);
        if (size < 0) return 0;
        base[size] = 0;
    }
    snprintf(whole, sizeof whole, "%s/%s", base, path);
    return fails(whole);
}

static int fails_on(int file) {
    char from[64], path[PATH_MAX];
    if (!counter) return 0;
    snprintf(from, sizeof from, "/proc/self/fd/%d", file);
    ssize_t size = readlink(from, path, sizeof path - 1);
    if (size < 0) return 0;
    path[size] = 0;
    return fails(path);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        va_list more; va_start(more, flags); mode_t mode = va_arg(more, mode_t); va_end(more); \
        if ((flags & (O_CREAT | O_TRUNC)) && fails_at(AT_FDCWD, path)) return -1; \
        return REAL(name)(path, flags, mode); \
    }
OPEN(open)
OPEN(open64)
#define OPENAT(name) \
    int name(int directory, const char *path, int flags, ...) { \
        va_list more; va_start(more, flags); mode_t mode = va_arg(more, mode_t); va_end(more); \
        if ((flags & (O_CREAT | O_TRUNC)) && fails_at(directory, path)) return -1; \
        return REAL(name)(directory, path, flags, mode); \
    }
OPENAT(openat)
OPENAT(openat64)

ssize_t write(int file, const void *data, size_t size) { return fails_on(file) ? -1 : REAL(write)(file, data, size); }
ssize_t writev(int file, const struct iovec *data, int count) { return fails_on(file) ? -1 : REAL(writev)(file, data, count); }
ssize_t pwrite(int file, const void *data, size_t size, off_t place) { return fails_on(file) ? -1 : REAL(pwrite)(file, data, size, place); }
ssize_t pwrite64(int file, const void *data, size_t size, off64_t place) { return fails_on(file) ? -1 : REAL(pwrite64)(file, data, size, place); }
int fsync(int file) { return fails_on(file) ? -1 : REAL(fsync)(file); }
int fdatasync(int file) { return fails_on(file) ? -1 : REAL(fdatasync)(file); }
int ftruncate(int file, off_t size) { return fails_on(file) ? -1 : REAL(ftruncate)(file, size); }
int ftruncate64(int file, off64_t size) { return fails_on(file) ? -1 : REAL(ftruncate64)(file, size); }
int fchmod(int file, mode_t mode) { return fails_on(file) ? -1 : REAL(fchmod)(file, mode); }
int mkdir(const char *path, mode_t mode) { return fails_at(AT_FDCWD, path) ? -1 : REAL(mkdir)(path, mode); }
int unlink(const char *path) { return fails_at(AT_FDCWD, path) ? -1 : REAL(unlink)(path); }
int rename(const char *old, const char *new) { return fails_at(AT_FDCWD, new) ? -1 : REAL(rename)(old, new); }
int renameat(int from, const char *old, int to, const char *new) { return fails_at(to, new) ? -1 : REAL(renameat)(from, old, to, new); }
