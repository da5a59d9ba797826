/** Checks of hooks that need the secrets or the host, and warnings. */
import { readFile } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import type { Expression, PluginContext, PrepareAttempt } from "reeve/plugin";
import { pathOf } from "./assign.js";
import type { HookBlock, ServerBlock } from "./blocks/blocks.js";
import { listed } from "./decide/verify/digest.js";
import { identityOf } from "./runs/identity.js";
import { Programs } from "./runs/program.js";
import type { HookServerSettings } from "./server/hook-server.js";

export function inspect(
  hook: HookBlock,
  { listen, tls, allow_from }: HookServerSettings,
  report: PrepareAttempt["report"],
): void {
  const { verify, when } = hook.values;
  for (const rule of verify) {
    if (rule.label === "mtls" && tls?.values.client_ca === undefined) {
      report(rule.range, "the hook's server does not request client certificates", {
        code: "no_client_ca",
        help: "give the server `tls { … client_ca = … }`",
      });
    }
    const secrets = listed(rule.values.secret).map((secret) => secret.reveal());
    if (secrets.some((secret) => secret.replace(/^whsec_/, "") === "")) {
      report(rule.rangeOf("secret"), "this secret is empty, so any sender can sign", {
        code: "empty_secret",
        help: "store the sender's secret under this reference",
      });
    }
    const signing = rule.label === "standard_webhooks" || rule.label === "gitlab";
    if (signing && secrets.some((secret) => /^whsec_(?![A-Za-z0-9+/]{4,}={0,2}$)/.test(secret))) {
      report(rule.rangeOf("secret"), "the text after `whsec_` in this secret is not Base64", {
        code: "bad_secret",
        help: "copy the whole signing secret from the sender",
      });
    }
  }
  complainAboutParameters(hook, report);
  const isFenced = (hook.values.allow_from ?? allow_from) !== undefined || asksEverybody(tls);
  if (verify.length === 0 && !when && !isFenced && !isLocal(listen)) {
    report(hook.range, `any client of ${listen} can run this hook`, {
      severity: "warning",
      code: "open_to_all",
      help: 'add `verify "github" { … }` or another proof, or a condition in `when`',
    });
  }
}

const asksEverybody = (tls: HookServerSettings["tls"]): boolean =>
  tls?.values.client_ca !== undefined && tls.values.client_cert === "required";

/** Every request lacks a parameter that the path does not have: it is a typing mistake. */
function complainAboutParameters(hook: HookBlock, report: PrepareAttempt["report"]): void {
  const path = pathOf(hook);
  const names = [...path.matchAll(/:([^/]+)/g)].map(([, name = ""]) => name);
  const scope = { path: Object.fromEntries(names.map((name) => [name, "x"])) };
  for (const expression of expressionsIn(hook.values)) {
    const outcome = expression.evaluate(scope);
    if (outcome.kind !== "missing" || !outcome.what.startsWith("path")) continue;
    const known = names.map((name) => `\`path.${name}\``).join(", ");
    report(outcome.range, `the hook's path \`${path}\` has no \`${outcome.what}\``, {
      code: "no_parameter",
      help: known === "" ? 'give it one: `path = "/…/:name"`' : `it has ${known}`,
    });
  }
}

/** Anywhere in the block, nested blocks included. */
function expressionsIn(value: unknown): readonly Expression[] {
  if (typeof value !== "object" || value === null) return [];
  if ("evaluate" in value) return [value as Expression];
  if ("reveal" in value) return [];
  const parts = "values" in value && "rangeOf" in value ? [value.values] : Object.values(value);
  return parts.flatMap(expressionsIn);
}

/** Checks a server's certificate. */
export async function inspectServer(
  { values: { tls } }: ServerBlock,
  report: PrepareAttempt["report"],
): Promise<void> {
  if (!tls) return;
  const read = async (name: "cert" | "key" | "client_ca"): Promise<Buffer | undefined> => {
    const path = tls.values[name];
    if (path === undefined) return undefined;
    return readFile(path).catch((thrown: NodeJS.ErrnoException) => {
      const why = thrown.code === "ENOENT" ? "there is no such file" : "it cannot be read";
      report(tls.rangeOf(name), `\`${path}\`: ${why}`, { code: "bad_certificate" });
      return undefined;
    });
  };
  const [cert, key, ca] = await Promise.all([read("cert"), read("key"), read("client_ca")]);
  if (!cert || !key || (tls.values.client_ca !== undefined && !ca)) return;
  try {
    createSecureContext({ cert, key, ...(ca ? { ca } : {}) });
  } catch {
    report(tls.rangeOf("key"), "the certificate does not match the key", {
      code: "bad_certificate",
      help: "both are PEM, the key without a passphrase, and of one pair",
    });
  }
}

/** For changed hooks only; the others were checked when they changed. */
export async function inspectPrograms(
  hooks: readonly HookBlock[],
  { directories: { configuration }, processes }: Pick<PluginContext, "directories" | "processes">,
  report: PrepareAttempt["report"],
): Promise<void> {
  const programs = new Programs(configuration);
  const troubles = await Promise.all(
    hooks.map(async (hook) => ({ hook, problem: await programs.problem(hook) })),
  );
  for (const hook of hooks) {
    const { run_as } = hook.values;
    const identity = run_as === undefined ? undefined : await identityOf(run_as, processes);
    if (typeof identity !== "string") continue;
    report(hook.rangeOf("run_as"), identity, { code: "bad_run_as" });
  }
  for (const { hook, problem } of troubles) {
    if (problem === undefined) continue;
    report(hook.rangeOf("run", 0), problem, {
      severity: "warning",
      code: "no_program",
      help: "requests are accepted, and the command fails, until it is there",
    });
  }
}

const isLocal = (listen: string): boolean => /^(unix:|127\.|\[::1\]:|localhost:)/.test(listen);
