/** Additional facts about a program, stored separately because they are neither compared nor sent. */
import type { Result } from "../pipeline.js";
import type { Program } from "../program.js";

const details = new WeakMap<Program, Result>();

export function remember(program: Program, result: Result): void {
  details.set(program, result);
}

/** `undefined` for a program that was not made by `load`. */
export const detailsOf = (program: Program): Result | undefined => details.get(program);
