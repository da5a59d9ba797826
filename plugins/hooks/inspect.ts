/** What only a configuration with its secrets can be told about a hook, and what deserves a warning. */
import { readFile } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import type { PrepareAttempt } from "reeve/plugin";
import type { HookBlock, ServerBlock } from "./blocks/blocks.js";
import { listed } from "./decide/verify/digest.js";
import { Programs } from "./run/program.js";
import type { ServerSettings } from "./serve/hook-server.js";

export function inspect(
  hook: HookBlock,
  { listen, tls }: ServerSettings,
  report: PrepareAttempt["report"],
): void {
  const { verify, when } = hook.values;
  for (const rule of verify) {
    if (rule.label === "mtls" && tls?.values.client_ca === undefined) {
      report(rule.range, "the hook's server asks no client for a certificate", {
        code: "no_client_ca",
        help: "give the server `tls { … client_ca = … }`",
      });
    }
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

/** Whether a server's certificate can be used. */
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
    report(tls.rangeOf("key"), "the certificate and the key cannot be used together", {
      code: "bad_certificate",
      help: "both are PEM, the key without a passphrase, and of one pair",
    });
  }
}

/** Of hooks that changed: what others need was told when they did. */
export async function inspectPrograms(
  hooks: readonly HookBlock[],
  configuration: string,
  report: PrepareAttempt["report"],
): Promise<void> {
  const programs = new Programs(configuration);
  const troubles = await Promise.all(
    hooks.map(async (hook) => ({ hook, trouble: await programs.trouble(hook) })),
  );
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
