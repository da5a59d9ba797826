/** Every construct that can stand inside itself, as deep as it may. */
export const nested: Readonly<Record<string, (depth: number) => string>> = {
  lists: (depth) => `a = ${"[".repeat(depth)}${"]".repeat(depth)}`,
  parentheses: (depth) => `a = ${"(".repeat(depth)}1${")".repeat(depth)}`,
  calls: (depth) => `a = ${"f(".repeat(depth)}${")".repeat(depth)}`,
  objects: (depth) => `a = ${"{ b = ".repeat(depth)}1${" }".repeat(depth)}`,
  blocks: (depth) => `${"a {\n".repeat(depth)}${"}\n".repeat(depth)}`,
  holes: (depth) => `a = ${'"${'.repeat(depth)}x${'}"'.repeat(depth)}`,
  conditionals: (depth) => `a = ${"b ? ".repeat(depth)}c${" : d".repeat(depth)}`,
};
