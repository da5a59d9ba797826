/**
 * What it takes to carry out a run another time, as it lies on the disk: never a secret. Where one stood, it is worked
 * out again from the hook as it is then.
 */
import type { Expression, Secret } from "reeve/plugin";
import type { HookBlock } from "../blocks/blocks.js";
import { type Command, isSecret } from "../decide/command.js";

/** Plain data. */
export interface Parcel {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | Placeholder>>;
  readonly stdin?: string | Placeholder;
  readonly key?: string;
  readonly files?: Readonly<Record<string, string | Placeholder>>;
  /** What the secrets are made of besides secrets. */
  readonly scope?: Readonly<Record<string, unknown>>;
  /** How often it has been begun. */
  readonly tried: number;
}

interface Placeholder {
  readonly secret: true;
}

const PLACEHOLDER: Placeholder = { secret: true };

/** `undefined` where the command is not one for later. */
export function pack(
  { argv, env, stdin, files, key, scope, fleeting }: Command,
  tried: number,
): Parcel | undefined {
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

/** The command, or why there is none any more, in one sentence. */
export function unpack({ values }: HookBlock, parcel: Parcel): Command | string {
  const { argv, stdin, scope = {}, key } = parcel;
  const env = opened(parcel.env, values.env, scope);
  if (typeof env === "string") return lostSecret(`the variable \`${env}\``);
  const files = parcel.files && opened(parcel.files, values.files, scope);
  if (typeof files === "string") return lostSecret(`the file \`${files}\``);
  const input = typeof stdin === "object" ? secretOf(values.stdin, scope) : stdin;
  if (stdin !== undefined && input === undefined) return lostSecret("the command's input");
  const reply = { body: undefined, headers: {} };
  return { argv, env, stdin: input, reply, key, ...(files && { files }) };
}

/** The name of what cannot be had any more, where something cannot. */
function opened(
  values: Readonly<Record<string, string | Placeholder>>,
  written: Readonly<Record<string, Expression<unknown>>>,
  scope: Readonly<Record<string, unknown>>,
): Record<string, string | Secret> | string {
  const open: Record<string, string | Secret> = {};
  for (const [name, value] of Object.entries(values)) {
    const content = typeof value === "string" ? value : secretOf(written[name], scope);
    if (content === undefined) return name;
    open[name] = content;
  }
  return open;
}

const allSealed = (values: Readonly<Record<string, string | Secret>>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, sealed(value)]));

const sealed = <Value extends string>(value: Value | Secret): Value | Placeholder =>
  typeof value === "string" ? value : PLACEHOLDER;

function secretOf(
  expression: Expression<unknown> | undefined,
  scope: Readonly<Record<string, unknown>>,
): Secret | undefined {
  const outcome = expression?.evaluate(scope);
  return outcome?.kind === "value" && isSecret(outcome.value) ? outcome.value : undefined;
}

const lostSecret = (what: string): string =>
  `It waited while the hook was edited, and the secret for ${what} is not there any more.`;
