/** What only a configuration with its secrets can be told about a hook, and what deserves a warning. */
import type { PluginContext, PrepareAttempt } from "reeve/plugin";
import type { HookBlock } from "./blocks/blocks.js";
import { listed } from "./decide/verify/digest.js";
import { identityOf } from "./run/identity.js";
import { Programs } from "./run/program.js";
import type { ServerSettings } from "./serve/hook-server.js";

export function inspect(
  hook: HookBlock,
  { listen }: ServerSettings,
  report: PrepareAttempt["report"],
): void {
  const { verify, when } = hook.values;
  for (const rule of verify) {
    const secrets = listed(rule.values.secret).map((secret) => secret.reveal());
    if (secrets.some((secret) => secret.replace(/^whsec_/, "") === "")) {
      report(rule.rangeOf("secret"), "this secret is empty, so that anybody would know it", {
        code: "empty_secret",
        help: "put the sender's secret where this refers to",
      });
    }
    const signing = rule.label === "standard_webhooks" || rule.label === "gitlab";
    if (signing && secrets.some((secret) => /^whsec_(?![A-Za-z0-9+/]{4,}={0,2}$)/.test(secret))) {
      report(rule.rangeOf("secret"), "what stands behind `whsec_` in this secret is not Base64", {
        code: "bad_secret",
        help: "copy the whole signing secret from where the sender shows it",
      });
    }
  }
  if (verify.length === 0 && !when && !isLocal(listen)) {
    report(hook.range, `anybody who can reach ${listen} can run this hook`, {
      severity: "warning",
      code: "open_to_all",
      help: 'add `verify "github" { … }` or another proof, or a condition in `when`',
    });
  }
}

/** Of hooks that changed: what others need was told when they did. */
export async function inspectPrograms(
  hooks: readonly HookBlock[],
  { directories: { configuration }, processes }: Pick<PluginContext, "directories" | "processes">,
  report: PrepareAttempt["report"],
): Promise<void> {
  const programs = new Programs(configuration);
  const troubles = await Promise.all(
    hooks.map(async (hook) => ({ hook, trouble: await programs.trouble(hook) })),
  );
  for (const hook of hooks) {
    const { run_as } = hook.values;
    const identity = run_as === undefined ? undefined : await identityOf(run_as, processes);
    if (typeof identity !== "string") continue;
    report(hook.rangeOf("run_as"), identity, { code: "bad_run_as" });
  }
  for (const { hook, trouble } of troubles) {
    if (trouble === undefined) continue;
    report(hook.rangeOf("run", 0), trouble, {
      severity: "warning",
      code: "no_program",
      help: "requests are accepted, and the command fails, until it is there",
    });
  }
}

const isLocal = (listen: string): boolean => /^(unix:|127\.|\[::1\]:|localhost:)/.test(listen);
