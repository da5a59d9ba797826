/** Memory outside of V8's heap: of the C library, which keeps what has been freed. */

type Trim = (keep: number) => number;

/**
 * Returns freed memory of all threads to the machine, and loads the way to the C library first.
 * Blocks the caller for a few milliseconds. Does nothing where there is no such way or no `malloc_trim`, as with musl.
 */
export function nativeMemory(open: () => Promise<Trim> = openTrim): { release(): Promise<void> } {
  let trim: Promise<Trim | undefined> | undefined;
  return {
    release: async () => {
      trim ??= open().catch(() => undefined);
      (await trim)?.(0);
    },
  };
}

/** malloc_trim(3). @throws where it cannot be called */
async function openTrim(): Promise<Trim> {
  const { default: koffi } = await import("koffi");
  return koffi.load(null).func("int malloc_trim(size_t keep)");
}
