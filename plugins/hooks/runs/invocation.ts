/** One accepted trigger of a block: the same value from the decision to the record of its run. */
import type { LeftRun } from "reeve/plugin";
import type { CommandBlock } from "../blocks/blocks.js";
import type { HookCommand } from "../decide/command.js";
import type { RunEvidence } from "../evidence/run-evidence.js";
import { type ResumeState, restoreResume } from "./resume-state.js";

/** Without optional fields: the compiler refuses one that is forgotten or misspelt. */
export interface Invocation {
  /** As it decided the trigger; later edits do not change it. */
  readonly block: CommandBlock;
  readonly command: HookCommand;
  /** The `trigger` of its record: `POST /hooks/deploy from 192.0.2.7`. */
  readonly trigger: string;
  /** Of a request. */
  readonly evidence: RunEvidence | undefined;
  /** The `detail` of its record. */
  readonly detail: Detail;
  /** Attempts that were started before. */
  readonly tried: number;
  /** Whether a previous daemon accepted it; that one may have queued what follows. */
  readonly isResumed: boolean;
  /** Receives the output as the command prints it. */
  readonly listen: ((data: Uint8Array) => void) | undefined;
}

export type Detail = Readonly<Record<string, unknown>>;

/** `detail`: for the record, beside the command's arguments. */
export function newInvocation(
  block: CommandBlock,
  command: HookCommand,
  trigger: string,
  {
    evidence,
    detail = {},
    listen,
  }: {
    readonly evidence?: RunEvidence | undefined;
    readonly detail?: Detail;
    readonly listen?: Invocation["listen"];
  } = {},
): Invocation {
  const argv = shownArgv(command.argv, evidence?.hide);
  return {
    block,
    command,
    trigger,
    evidence,
    detail: { argv, ...detail },
    tried: 0,
    isResumed: false,
    listen,
  } satisfies Invocation;
}

/** The invocation of a run that a previous daemon left; a string is the reason why it cannot be resumed. */
export function resumedInvocation(
  block: CommandBlock,
  { record, resume }: LeftRun,
): Invocation | string {
  const state = resume as ResumeState;
  const command = restoreResume(block, state);
  if (typeof command === "string") return command;
  return {
    block,
    command,
    trigger: record.trigger ?? "",
    evidence: undefined,
    detail: detailOf(record),
    tried: startedAttempts({ record, resume }),
    isResumed: true,
    listen: undefined,
  } satisfies Invocation;
}

/** Whether a previous daemon knew how it ended. */
export const hasEnded = ({ resume }: LeftRun): boolean => (resume as ResumeState).end !== undefined;

/** Whether a previous daemon died during its last attempt. */
export const isInterrupted = ({ record, resume }: LeftRun): boolean =>
  record.state === "interrupted" || (resume as ResumeState).isOver === true;

/** Attempts of a run that previous daemons started. */
export const startedAttempts = ({ record, resume }: LeftRun): number =>
  (resume as ResumeState).tried + (record.state === "interrupted" ? 1 : 0);

/** What the next daemon needs if this one dies soon: it counts the interrupted attempt, and attempts nothing that is over. */
export const resumedState = (left: LeftRun, isOver: boolean): ResumeState => ({
  ...(left.resume as ResumeState),
  tried: startedAttempts(left),
  ...(isOver && { isOver }),
});

export const detailOf = ({ detail }: LeftRun["record"]): Detail => (detail ?? {}) as Detail;

const SHOWN_WORDS = 32;
const SHOWN_LENGTH = 256;

/** Redacted and shortened. */
export const shownArgv = (
  argv: readonly string[],
  hide: (text: string) => string = (text) => text,
): readonly string[] => argv.slice(0, SHOWN_WORDS).map((word) => shortened(hide(word)));

const shortened = (word: string): string =>
  word.length > SHOWN_LENGTH ? `${word.slice(0, SHOWN_LENGTH)}…` : word;
