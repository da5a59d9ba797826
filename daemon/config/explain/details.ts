/** What is known of a program besides what it says: kept beside it, because it is neither compared nor sent anywhere. */
import type { Result } from "../pipeline.js";
import type { Program } from "../program.js";

const details = new WeakMap<Program, Result>();

export function remember(program: Program, result: Result): void {
  details.set(program, result);
}

/** `undefined` for a program that was not made by `load`. */
export const detailsOf = (program: Program): Result | undefined => details.get(program);
