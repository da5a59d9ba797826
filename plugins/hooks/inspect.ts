/** What is wrong with all hooks together: without side effects, for `check`, `plan` and the daemon alike. */

import { readFile } from "node:fs/promises";
import type { ConfigurationCheck, Expression } from "reeve/plugin";
import { inTurns } from "reeve/plugin";
import { assign, pathOf } from "./assign.js";
import type {
  CommandBlock,
  HookBlock,
  HooksConfiguration,
  HooksFileBlock,
  TaskBlock,
} from "./blocks/blocks.js";
import { listed } from "./decide/verify/digest.js";
import { identityOf } from "./runs/identity.js";
import { Programs } from "./runs/program.js";
import type { HookServerSettings } from "./server/hook-server.js";
import { inspectServer } from "./server/inspect-server.js";
import { cycleOf, DEEPEST, depthOf } from "./tasks/cycles.js";
import { commandBlockOf } from "./triggers/command-block.js";

type Report = ConfigurationCheck["report"];

export async function inspect(
  { blocks }: Pick<HooksConfiguration, "blocks">,
  { directory, host, report, listens }: ConfigurationCheck,
): Promise<void> {
  const sounder = new Set<HookBlock["values"]>();
  for (const { settings, block, hooks } of (await assign(blocks, report)).values()) {
    const range = block?.rangeOf("listen") ?? hooks[0]?.range ?? blocks.hooks_file[0]?.range;
    if (range) listens(range, settings.listen);
    await inTurns(hooks, (hook) => {
      inspectHook(hook, settings, report);
      if (usesKnownParameters(hook, report)) sounder.add(hook.values);
    });
  }
  sound = sounder;
  inspectTasks(blocks.task, report);
  if (!host) return;
  await inTurns(blocks.hook, (hook) => inspectSecrets(hook, report));
  await Promise.all([
    ...blocks.hook_server.map((server) => inspectServer(server, report)),
    ...blocks.hooks_file.map((file) => inspectHooksFile(file, report)),
    inspectPrograms(
      [
        ...blocks.hook,
        ...[...blocks.schedule, ...blocks.watch, ...blocks.task].map(commandBlockOf),
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
  complainAboutMarkup(hook, report);
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

/**
 * Values of the hooks of the last check whose expressions use only parameters that the path has: the next check need not evaluate
 * them. Not a weak set: the garbage collector would mark thousands of entries in one pause.
 */
let sound: ReadonlySet<HookBlock["values"]> = new Set();

/** Every request lacks a parameter that the path does not have: it is a typing mistake. */
function usesKnownParameters(hook: HookBlock, report: Report): boolean {
  if (sound.has(hook.values)) return true;
  let known = true;
  const path = pathOf(hook);
  const names = [...path.matchAll(/:([^/]+)/g)].map(([, name = ""]) => name);
  const scope = { path: Object.fromEntries(names.map((name) => [name, "x"])) };
  for (const expression of expressionsIn(hook.values)) {
    const outcome = expression.evaluate(scope);
    if (outcome.kind !== "missing" || !outcome.what.startsWith("path")) continue;
    known = false;
    const offered = names.map((name) => `\`path.${name}\``).join(", ");
    report(outcome.range, `the hook's path \`${path}\` has no \`${outcome.what}\``, {
      code: "no_parameter",
      help: offered === "" ? 'give it one: `path = "/…/:name"`' : `it has ${offered}`,
    });
  }
  return known;
}

/** Output in an HTML page without escaping: a sender that decides a part of it can add scripts. */
function complainAboutMarkup({ values: { response } }: HookBlock, report: Report): void {
  const { result_body, headers = {} } = response?.values ?? {};
  if (!response || !result_body) return;
  const name = Object.keys(headers).find((each) => each.toLowerCase() === "content-type");
  const type = name === undefined ? undefined : headers[name]?.evaluate({});
  if (type?.kind !== "value" || !/^\s*text\/html/i.test(String(type.value))) return;
  const output = "<output>";
  const request = { payload: {}, header: {}, query: {}, path: {}, method: "POST" };
  const run = { output, exit_code: 0, state: "succeeded", run: "" };
  const body = result_body.evaluate({ ...request, ...run });
  if (body.kind !== "value" || !String(body.value).includes(output)) return;
  report(response.rangeOf("result_body"), "the output becomes part of an HTML page as it is", {
    severity: "warning",
    code: "unescaped_output",
    help: "write `html(output)`",
  });
}

/** Anywhere in the block, nested blocks included. */
function expressionsIn(value: unknown, found: Expression[] = []): readonly Expression[] {
  if (typeof value !== "object" || value === null || "reveal" in value) return found;
  if ("evaluate" in value) found.push(value as Expression);
  else if ("values" in value && "rangeOf" in value) expressionsIn(value.values, found);
  else for (const part of Object.values(value)) expressionsIn(part, found);
  return found;
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
  await inTurns(hooks, (hook) => {
    const { run_as } = hook.values;
    return run_as === undefined ? inspectProgram(hook) : inspectWithUser(hook, run_as);
  });

  async function inspectWithUser(hook: CommandBlock, user: string): Promise<void> {
    const identity = await identityOf(user);
    if (typeof identity === "string") {
      report(hook.rangeOf("run_as"), identity, { code: "bad_run_as", host: true });
    }
    await inspectProgram(hook);
  }

  /** Without a promise where the answer is known: most of thousands of hooks start the same few programs. */
  function inspectProgram(hook: CommandBlock): void | Promise<void> {
    const problem = programs.problem(hook);
    if (problem instanceof Promise) return problem.then((found) => complain(hook, found));
    complain(hook, problem);
  }

  function complain(hook: CommandBlock, problem: string | undefined): void {
    if (problem === undefined) return;
    report(hook.rangeOf("run", 0), problem, {
      severity: "warning",
      code: "no_program",
      host: true,
      help: "requests are accepted, and the command fails, until it is there",
    });
  }
}

const isLocal = (listen: string): boolean => /^(unix:|127\.|\[::1\]:|localhost:)/.test(listen);
