/** What is wrong with all hooks together: without side effects, for `check`, `plan` and the daemon alike. */
import { readFile, stat } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import { createSecureContext } from "node:tls";
import type { ConfigurationCheck, Expression } from "reeve/plugin";
import { assign, pathOf } from "./assign.js";
import type {
  CommandBlock,
  HookBlock,
  HooksConfiguration,
  HooksFileBlock,
  ServerBlock,
  TaskBlock,
} from "./blocks/blocks.js";
import { listed } from "./decide/verify/digest.js";
import { identityOf } from "./runs/identity.js";
import { Programs } from "./runs/program.js";
import { commandBlockOf } from "./schedules/command-block.js";
import type { HookServerSettings } from "./server/hook-server.js";
import { cycleOf, DEEPEST, depthOf } from "./tasks/cycles.js";
import { commandBlockOf as taskCommandOf } from "./tasks/task-runner.js";
import { commandBlockOf as watchCommandOf } from "./watches/watch-runner.js";

type Report = ConfigurationCheck["report"];

/** Hooks that are checked before the event loop serves requests again: one or two milliseconds of work. */
const PART = 32;

export async function inspect(
  { blocks }: Pick<HooksConfiguration, "blocks">,
  { directory, host, report, listens }: ConfigurationCheck,
): Promise<void> {
  for (const { settings, block, hooks } of assign(blocks, report).values()) {
    const range = block?.rangeOf("listen") ?? hooks[0]?.range ?? blocks.hooks_file[0]?.range;
    if (range) listens(range, settings.listen);
    for (const [index, hook] of hooks.entries()) {
      if (index % PART === PART - 1) await setImmediate();
      inspectHook(hook, settings, report);
    }
  }
  inspectTasks(blocks.task, report);
  if (!host) return;
  for (const [index, hook] of blocks.hook.entries()) {
    if (index % PART === PART - 1) await setImmediate();
    inspectSecrets(hook, report);
  }
  await Promise.all([
    ...blocks.hook_server.map((server) => inspectServer(server, report)),
    ...blocks.hooks_file.map((file) => inspectHooksFile(file, report)),
    inspectPrograms(
      [
        ...blocks.hook,
        ...blocks.schedule.map(commandBlockOf),
        ...blocks.watch.map(watchCommandOf),
        ...blocks.task.map(taskCommandOf),
      ],
      directory,
      report,
    ),
  ]);
}

function inspectHook(
  hook: HookBlock,
  { listen, tls, allow_from }: HookServerSettings,
  report: Report,
): void {
  const { verify, when } = hook.values;
  for (const rule of verify) {
    if (rule.label === "mtls" && tls?.values.client_ca === undefined) {
      report(rule.range, "the hook's server does not request client certificates", {
        code: "no_client_ca",
        help: "give the server `tls { … client_ca = … }`",
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

function inspectTasks(tasks: readonly TaskBlock[], report: Report): void {
  for (const task of tasks) {
    const { after, param } = task.values;
    const cycle = cycleOf(task, tasks);
    if (cycle) {
      report(task.rangeOf("after"), `the task follows itself: ${cycle.join(" → ")}`, {
        code: "task_cycle",
        help: "remove one of these from its `after`",
      });
      continue;
    }
    if (!tasks.some((each) => cycleOf(each, tasks)) && depthOf(task, tasks) > DEEPEST) {
      report(task.rangeOf("after"), `the chain before this task has more than ${DEEPEST} runs`, {
        code: "task_depth",
        help: "join some of its tasks in one command",
      });
    }
    for (const each of param) {
      if (after.length > 0 && each.values.default === undefined) {
        report(each.range, "a task that follows a run gets no parameters", {
          code: "task_parameter",
          help: "give the parameter a `default`",
        });
      }
      if (each.values.type === "secret") inspectSecretParameter(task, each.label ?? "", report);
    }
  }
}

/** Every user of the host can read arguments, and records have them. */
function inspectSecretParameter({ values }: TaskBlock, name: string, report: Report): void {
  const param = Object.fromEntries(
    values.param.flatMap(({ label = "" }) => (label === name ? [] : [[label, "x"]])),
  );
  for (const expression of expressionsIn([values.run, values.args, values.files])) {
    const outcome = expression.evaluate({ param });
    if (outcome.kind !== "missing" || outcome.what !== `param.${name}`) continue;
    report(outcome.range, `\`param.${name}\` is secret, and arguments and files are not`, {
      code: "secret_argument",
      help: "pass it in `env` or `stdin`",
    });
  }
}

/** Secrets that only a running plugin has are checked when the configuration is prepared. */
export function inspectSecrets(hook: HookBlock, report: Report): void {
  for (const rule of hook.values.verify) {
    const secrets = listed(rule.values.secret).flatMap((secret) =>
      secret.resolved ? [secret.reveal()] : [],
    );
    if (secrets.some((secret) => secret.replace(/^whsec_/, "") === "")) {
      report(rule.rangeOf("secret"), "this secret is empty, so any sender can sign", {
        code: "empty_secret",
        host: true,
        help: "store the sender's secret under this reference",
      });
    }
    if (rule.label === "jwt" && secrets.some((secret) => Buffer.byteLength(secret) < 32)) {
      report(rule.rangeOf("secret"), "this secret is shorter than 32 bytes, so it can be guessed", {
        code: "bad_secret",
        host: true,
        help: "make a longer one with the issuer: `openssl rand -hex 32`",
      });
    }
    const signing = rule.label === "standard_webhooks" || rule.label === "gitlab";
    if (
      signing &&
      secrets.some((secret) => /^whsec_(?![A-Za-z0-9+/]{4,}={0,2}$)(?=.)/.test(secret))
    ) {
      report(rule.rangeOf("secret"), "the text after `whsec_` in this secret is not Base64", {
        code: "bad_secret",
        host: true,
        help: "copy the whole signing secret from the sender",
      });
    }
  }
}

const asksEverybody = (tls: HookServerSettings["tls"]): boolean =>
  tls?.values.client_ca !== undefined && tls.values.client_cert === "required";

/** Values of hooks whose expressions use only parameters that the path has: the next check need not evaluate them. */
const sound = new WeakSet<HookBlock["values"]>();

/** Every request lacks a parameter that the path does not have: it is a typing mistake. */
function complainAboutParameters(hook: HookBlock, report: Report): void {
  if (sound.has(hook.values)) return;
  let found = false;
  const path = pathOf(hook);
  const names = [...path.matchAll(/:([^/]+)/g)].map(([, name = ""]) => name);
  const scope = { path: Object.fromEntries(names.map((name) => [name, "x"])) };
  for (const expression of expressionsIn(hook.values)) {
    const outcome = expression.evaluate(scope);
    if (outcome.kind !== "missing" || !outcome.what.startsWith("path")) continue;
    found = true;
    const known = names.map((name) => `\`path.${name}\``).join(", ");
    report(outcome.range, `the hook's path \`${path}\` has no \`${outcome.what}\``, {
      code: "no_parameter",
      help: known === "" ? 'give it one: `path = "/…/:name"`' : `it has ${known}`,
    });
  }
  if (!found) sound.add(hook.values);
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
async function inspectServer({ values: { tls } }: ServerBlock, report: Report): Promise<void> {
  if (!tls) return;
  const code = "bad_certificate";
  const read = async (name: "cert" | "key" | "client_ca"): Promise<Buffer | undefined> => {
    const path = tls.values[name];
    if (path === undefined) return undefined;
    return readFile(path).catch((thrown: NodeJS.ErrnoException) => {
      const host = thrown.code !== "ENOENT";
      const why = host ? "it cannot be read" : "there is no such file";
      report(tls.rangeOf(name), `\`${path}\`: ${why}`, { code, host, keeps: true });
      return undefined;
    });
  };
  const [cert, key, ca] = await Promise.all([read("cert"), read("key"), read("client_ca")]);
  if (key) await inspectKey(tls, report);
  if (!cert || !key || (tls.values.client_ca !== undefined && !ca)) return;
  try {
    createSecureContext({ cert, key, ...(ca ? { ca } : {}) });
  } catch {
    report(tls.rangeOf("key"), "the certificate does not match the key", {
      code,
      keeps: true,
      help: "both are PEM, the key without a passphrase, and of one pair",
    });
  }
}

async function inspectKey(
  tls: NonNullable<ServerBlock["values"]["tls"]>,
  report: Report,
): Promise<void> {
  const { key } = tls.values;
  const { mode } = await stat(key);
  if ((mode & 0o004) === 0) return;
  report(tls.rangeOf("key"), `the permissions of \`${key}\` let every user read the private key`, {
    severity: "warning",
    code: "exposed_key",
    host: true,
    help: `run \`chmod 640 ${key}\`, with the daemon's group as the file's group, or 600`,
  });
}

async function inspectHooksFile(block: HooksFileBlock, report: Report): Promise<void> {
  // Loads the YAML and XML readers with the first hooks file: most configurations have none.
  const { readHooksFile } = await import("./file-hooks/read-hooks-file.js");
  const { values } = block;
  const content = await readFile(values.path, "utf8").catch(
    (thrown: NodeJS.ErrnoException) => thrown,
  );
  const isText = typeof content === "string";
  const host = !isText && content.code !== "ENOENT";
  const read = isText
    ? readHooksFile(content, values)
    : `${values.path}: ${host ? "it cannot be read" : "not found"}`;
  if (typeof read !== "string") return;
  report(block.rangeOf("path"), read, {
    code: "bad_hooks_file",
    host,
    keeps: true,
    help: isText ? "correct the file; the line and column say where" : "create the file",
  });
}

async function inspectPrograms(
  hooks: readonly CommandBlock[],
  directory: string,
  report: Report,
): Promise<void> {
  const programs = new Programs(directory);
  await Promise.all(
    hooks.map(async (hook) => {
      const { run_as } = hook.values;
      const identity = run_as === undefined ? undefined : await identityOf(run_as);
      if (typeof identity === "string") {
        report(hook.rangeOf("run_as"), identity, { code: "bad_run_as", host: true });
      }
      const problem = await programs.problem(hook);
      if (problem === undefined) return;
      report(hook.rangeOf("run", 0), problem, {
        severity: "warning",
        code: "no_program",
        host: true,
        help: "requests are accepted, and the command fails, until it is there",
      });
    }),
  );
}

const isLocal = (listen: string): boolean => /^(unix:|127\.|\[::1\]:|localhost:)/.test(listen);
