/** An attempt becomes a generation: it gets a state, a duration, and its commit as soon as git has said it. */
import type { Generation } from "./contract.js";

export type GenerationAttempt = Omit<Generation, "state" | "duration" | "git"> & {
  /** Nothing waits for git before a generation has to be told about. */
  readonly git: Promise<Generation["git"]>;
};

/** The attempt as it stands now. */
export function finishedAttempt(
  { git: _later, ...attempt }: GenerationAttempt,
  state: Generation["state"],
  now: number,
): Generation {
  return { ...attempt, state, duration: now - attempt.at };
}

export async function withCommit(
  generation: Generation,
  gitState: Promise<Generation["git"]>,
): Promise<Generation> {
  const git = await gitState;
  return git ? { ...generation, git } : generation;
}
