/**
 * The state on disk that resumes a run. It never holds a secret: secrets are evaluated
 * again from the hook's current block.
 */
import { isUtf8 } from "node:buffer";
import type { Expression, Secret } from "reeve/plugin";
import type { CommandBlock } from "../blocks/blocks.js";
import { type CommandInput, type HookCommand, isSecret } from "../decide/command.js";
import type { EndOfRun } from "./chain.js";

/** Plain data. */
export interface ResumeState {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | Placeholder>>;
  readonly stdin?: Sealed;
  readonly key?: string;
  readonly files?: Readonly<Record<string, Sealed>>;
  /** The values that secrets and further attempts depend on. */
  readonly scope?: Readonly<Record<string, unknown>>;
  /** Attempts started so far. */
  readonly tried: number;
  /** Its last attempt was interrupted, and there is no other: only its end is not recorded yet. */
  readonly isOver?: boolean;
  /** How it ended: what follows it could not be recorded yet. */
  readonly end?: EndOfRun;
}

type Sealed = string | Bytes | Placeholder;

/** Binary data, one character a byte, so secrets in it are still recognized and kept off the disk. */
interface Bytes {
  readonly latin1: string;
}

interface Placeholder {
  readonly secret: true;
}

const PLACEHOLDER: Placeholder = { secret: true };

/** `undefined` for a command that cannot be resumed. */
export function serializeResume(
  { argv, env, stdin, files, key, scope, fleeting }: HookCommand,
  tried: number,
): ResumeState | undefined {
  if (fleeting) return undefined;
  return {
    argv,
    env: allSealed(env),
    ...(files === undefined ? {} : { files: allSealed(files) }),
    ...(stdin === undefined ? {} : { stdin: sealed(stdin) }),
    ...(key === undefined ? {} : { key }),
    ...(scope === undefined ? {} : { scope }),
    tried,
  };
}

/** Of a run without another attempt; nothing of its command is needed. */
export const endedResume = (end: EndOfRun): ResumeState => ({ argv: [], env: {}, tried: 0, end });

/** The command, or the reason why it cannot be resumed. */
export function restoreResume({ values }: CommandBlock, resume: ResumeState): HookCommand | string {
  const { argv, stdin, scope = {}, key } = resume;
  const env = opened(resume.env, values.env, scope);
  if (typeof env === "string") return lostSecret(`the variable \`${env}\``);
  const files = resume.files && opened(resume.files, values.files, scope);
  if (typeof files === "string") return lostSecret(`the file \`${files}\``);
  const input = stdin === undefined ? undefined : unsealed(stdin, values.stdin, scope);
  if (stdin !== undefined && input === undefined) return lostSecret("the command's input");
  return {
    argv,
    env,
    stdin: input,
    reply: NO_REPLY,
    files,
    key,
    delivery: undefined,
    limitKey: undefined,
    awaited: false,
    fleeting: false,
    scope: resume.scope,
  } satisfies HookCommand;
}

/** The sender is gone. */
const NO_REPLY = { body: undefined, headers: {} } as const;

/** The values, or the name of one that is lost. */
function opened<Kept extends Sealed>(
  values: Readonly<Record<string, Kept>>,
  written: Readonly<Record<string, Expression<unknown>>>,
  scope: Readonly<Record<string, unknown>>,
): Record<string, Opened<Kept>> | string {
  const open: Record<string, Opened<Kept>> = {};
  for (const [name, value] of Object.entries(values)) {
    const content = unsealed(value, written[name], scope);
    if (content === undefined) return name;
    open[name] = content;
  }
  return open;
}

type Opened<Kept extends Sealed> = string | Secret | (Bytes extends Kept ? Uint8Array : never);

function unsealed<Kept extends Sealed>(
  kept: Kept,
  written: Expression<unknown> | undefined,
  scope: Readonly<Record<string, unknown>>,
): Opened<Kept> | undefined;
function unsealed(
  kept: Sealed,
  written: Expression<unknown> | undefined,
  scope: Readonly<Record<string, unknown>>,
): CommandInput | undefined {
  if (typeof kept === "string") return kept;
  return "latin1" in kept ? Buffer.from(kept.latin1, "latin1") : secretOf(written, scope);
}

const allSealed = <Value extends CommandInput>(values: Readonly<Record<string, Value>>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, sealed(value)]));

type SealedAs<Value extends CommandInput> =
  | string
  | Placeholder
  | (Uint8Array extends Value ? Bytes : never);

function sealed<Value extends CommandInput>(value: Value): SealedAs<Value>;
function sealed(value: CommandInput): Sealed {
  if (typeof value === "string") return value;
  if (!(value instanceof Uint8Array)) return PLACEHOLDER;
  const { buffer, byteOffset, byteLength } = value;
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  return isUtf8(bytes) ? bytes.toString("utf8") : { latin1: bytes.toString("latin1") };
}

function secretOf(
  expression: Expression<unknown> | undefined,
  scope: Readonly<Record<string, unknown>>,
): Secret | undefined {
  const outcome = expression?.evaluate(scope);
  return outcome?.kind === "value" && isSecret(outcome.value) ? outcome.value : undefined;
}

const lostSecret = (what: string): string =>
  `The hook was edited while the run waited, and the secret for ${what} is gone.`;
