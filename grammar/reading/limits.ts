/** What one text may be at most. Beyond it there is a diagnostic, never a crash. */
export const LIMITS = {
  /** Size of one file, in bytes of UTF-8. */
  bytes: 1024 * 1024,
  /** Brackets, bodies, `${…}` and conditionals inside each other. */
  nesting: 64,
  /**
   * Levels of an expression's tree. A chain of operators is as high as it is long, so this is what keeps every walk
   * over a tree within the stack.
   */
  height: 256,
} as const;
