/** Collects the secrets of hook blocks, to redact them. */
import type { Expression, Secret } from "reeve/plugin";
import type { HookBlock } from "../blocks/blocks.js";

export function configuredSecrets(blocks: readonly HookBlock[]): readonly string[] {
  const found = blocks.flatMap(({ values: { verify, env, stdin } }) => [
    ...verify.flatMap(({ values }) => values.secret ?? []),
    ...[...Object.values(env), ...(stdin ? [stdin] : [])].map(constantOf),
  ]);
  const texts = found.flatMap((value) => (isSecret(value) ? [value.reveal()] : []));
  return [...new Set(texts)];
}

function constantOf(expression: Expression<unknown>): unknown {
  if (!expression.constant) return undefined;
  const outcome = expression.evaluate({});
  return outcome.kind === "value" ? outcome.value : undefined;
}

const isSecret = (value: unknown): value is Secret =>
  typeof value === "object" && value !== null && "reveal" in value;
