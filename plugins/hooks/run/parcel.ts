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
  { argv, env, stdin, key, scope, fleeting }: Command,
  tried: number,
): Parcel | undefined {
  if (fleeting) return undefined;
  return {
    argv,
    env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, sealed(value)])),
    ...(stdin === undefined ? {} : { stdin: sealed(stdin) }),
    ...(key === undefined ? {} : { key }),
    ...(scope === undefined ? {} : { scope }),
    tried,
  };
}

/** The command, or why there is none any more, in one sentence. */
export function unpack(
  { values }: HookBlock,
  { argv, env, stdin, scope = {}, key }: Parcel,
): Command | string {
  const variables: Record<string, string | Secret> = {};
  for (const [name, value] of Object.entries(env)) {
    const open = typeof value === "string" ? value : secretOf(values.env[name], scope);
    if (open === undefined) return lostSecret(`the variable \`${name}\``);
    variables[name] = open;
  }
  const input = typeof stdin === "object" ? secretOf(values.stdin, scope) : stdin;
  if (stdin !== undefined && input === undefined) return lostSecret("the command's input");
  const reply = { body: undefined, headers: {} };
  return { argv, env: variables, stdin: input, reply, key };
}

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
