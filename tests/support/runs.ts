/**
 * How often a property is tried. Commits try few cases, always the same ones (scripts/test/worker.mjs sets the seed), so that a commit fails for
 * what it changes; `npm run test:long` tries many new ones in every file that imports this module.
 */

/** `npm run test:long` runs. */
export const isLong = process.env.REEVE_TEST_LONG === "1";

/** For `numRuns` of fast-check: `few` in `npm test`, `many` in the long tier. */
export const runs = (few: number, many: number): number => (isLong ? many : few);
