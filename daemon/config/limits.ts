/** How much one configuration may ask for. Each has a code in `codes.ts`. */

export const limits = {
  /** Files of one configuration, and UTF-16 units in all of them together. */
  files: 256,
  text: 8 * 1024 * 1024,
  /** Imports of imports. The root file is at depth 0. */
  importDepth: 8,
  /** Blocks after expansion, nested ones included. */
  blocks: 10_000,
  /** Operators, calls, references, repetitions, and what functions look at and make, while a configuration is evaluated. */
  steps: 100_000,
  /** UTF-16 units in one string. */
  string: 1024 * 1024,
  /** UTF-16 units in a regular expression: compiling takes longer than matching. */
  pattern: 4_096,
  /** Numbers that `range` gives. */
  range: 1_000,
  /** Elements in one value, those of nested lists and objects included. */
  elements: 100_000,
  /** Lists and objects inside each other, in a value. */
  depth: 128,
  /** Values that need each other to be evaluated: lets of lets of lets. */
  evaluationDepth: 512,
  /** Mixins that use mixins. */
  mixinDepth: 64,
  /** Nodes in what is left of one expression, and how deep they stand in each other. */
  nodes: 20_000,
  nodeDepth: 1_200,
  /** Elements that one evaluation of a run-time expression looks at; 256 characters of a string count as one. */
  looks: 1_000_000,
} as const;
