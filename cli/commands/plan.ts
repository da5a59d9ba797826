/** `reeve plan`: what an edit would change. */
import type { Loaded, Plan } from "../../daemon/config/program.js";
import { render, sanitize, toJson } from "../../grammar/index.js";
import { renderFindings } from "../control/findings.js";
import { planWithDaemon } from "../control/plan.js";
import { ControlError, isConfigurationProblem } from "../control/problem.js";
import { type Call, defineCommand, flag, json, text } from "../plugin-api/command.js";
import { Exit, type ExitCode, Failure } from "../plugin-api/exit.js";
import type { Output } from "../plugin-api/output.js";
import { exitFor } from "../print/exit-for.js";
import { changesAnything, renderPlan } from "../print/plan.js";
import { checkConfiguration, hostOptions } from "../project/check-host.js";
import { shownPath } from "../project/files.js";
import { gitDisk } from "../project/git-disk.js";
import { fileArgument, loadConfiguration, rootFile } from "../project/load.js";

const options = {
  against: text("FILE|git:REV", "compare with another root file, or with a commit: `git:HEAD`"),
  ref: text("REV", "plan the change to the files of this commit, without a checkout"),
  ...hostOptions,
  exitCode: flag("exit with 1 if anything would change"),
  json,
};

export const command = defineCommand({
  description:
    "Without --against the running daemon plans a reload. With it no daemon is needed: the configuration on disk " +
    "is compared with the other one. With --ref the files of that commit take the place of those on disk, and " +
    "those on disk are what it is compared with unless --against says otherwise. None changes anything. " +
    "Values are compared, not text: moving a block or renaming a `let` changes nothing. Secrets are not shown.",
  arguments: [fileArgument],
  options,
  examples: [
    { command: "reeve plan", does: "shows what a reload would change" },
    {
      command: "reeve plan --against git:HEAD",
      does: "shows the changes since the last commit",
    },
    {
      command: "reeve plan --against git:origin/main --exit-code",
      does: "in CI: fails if a branch changes anything",
    },
    {
      command: "reeve plan --ref origin/feature",
      does: "before a merge: shows what the branch would change here",
    },
    { command: "reeve plan new.reeve --against old.reeve", does: "compares two files" },
  ],
  exits: {
    [Exit.findings]: "with --exit-code: there are changes",
    [Exit.noInput]: "there is no such file or commit",
    [Exit.unavailable]: "the daemon is not running",
    [Exit.temporary]: "only this machine lacks something: a secret, a port or a file",
    [Exit.configuration]: "a configuration is invalid",
  },
  async run(call) {
    const { against, ref, exitCode } = call.options;
    const made =
      against === undefined && ref === undefined
        ? await askDaemon(call)
        : await compare(call, against);
    if (typeof made === "number") return made;
    return exitCode && changesAnything(made) ? Exit.findings : Exit.ok;
  },
});

type PlanCall = Call<typeof options>;

const NO_ROOT_FILE = "E505";

/** The plan, printed; the exit code where a configuration is invalid, which is printed too. */
async function compare(
  { arguments: [file], options, output }: PlanCall,
  against: string | undefined,
): Promise<Plan | ExitCode> {
  const asJson = options.json;
  const root = rootFile(file);
  const before = await (against === undefined ? loadConfiguration(root) : loadOther(root, against));
  const isNew = before.diagnostics.some(({ code }) => code === NO_ROOT_FILE);
  if (isNew)
    output.err.line(`There is no \`${shownPath(root)}\` in ${against}: everything is new.`);
  const { ref } = options;
  const after = await (ref === undefined
    ? checkConfiguration(root, options)
    : loadCommit(root, ref, options.host));
  const next = after.program;
  if (!next || !(before.program || isNew)) {
    const invalid = next ? before : after;
    const name = next ? (against ?? "what is on disk") : ref && `git:${ref}`;
    complain(invalid, name && `This is ${name}.`, asJson, output);
    return exitFor(invalid.diagnostics);
  }
  const { plan } = await import("../../daemon/config/plan.js");
  const made = plan(before.program, next);
  if (asJson) output.json({ plan: made, diagnostics: jsonOf(after) });
  else {
    if (after.diagnostics.length > 0) complain(after, undefined, false, output);
    const docOf = (key: string) => (next.blocks.get(key) ?? before.program?.blocks.get(key))?.doc;
    output.out.write(renderPlan(made, { paint: output.out.paint, docOf }));
  }
  return made;
}

async function loadOther(root: string, against: string): Promise<Loaded> {
  const [, revision] = /^git:(.*)$/.exec(against) ?? [];
  if (revision === undefined) return loadConfiguration(rootFile(against));
  if (revision === "")
    throw new Failure(Exit.usage, "`git:` wants a commit, for example `git:HEAD`");
  return loadConfiguration(root, await gitDisk(root, revision));
}

/** Findings about this machine are warnings unless `host`. */
async function loadCommit(root: string, revision: string, host: boolean): Promise<Loaded> {
  const { hostProbe } = await import("../../daemon/host/probe.js");
  const probe = hostProbe({ environment: process.env, lenient: !host });
  return loadConfiguration(root, { ...(await gitDisk(root, revision)), host: probe });
}

function complain(
  loaded: Loaded,
  footer: string | undefined,
  asJson: boolean,
  { err, json: printJson }: Output,
): void {
  if (asJson) printJson({ diagnostics: jsonOf(loaded) });
  else {
    const { diagnostics, sources } = loaded;
    err.write(render(diagnostics, sources, { colour: err.colour, ...(footer && { footer }) }));
  }
}

const jsonOf = ({ diagnostics, sources }: Loaded) =>
  sanitize(diagnostics, sources).map((diagnostic) => toJson(diagnostic, sources));

async function askDaemon({
  arguments: [file],
  options: { control, json: asJson },
  output,
}: PlanCall): Promise<Plan | ExitCode> {
  try {
    const result = await planWithDaemon(control, file === undefined ? undefined : rootFile(file));
    const { plan, diagnostics } = result;
    if (asJson) output.json({ plan, diagnostics });
    else {
      output.out.write(renderPlan(plan, { paint: output.out.paint }));
      const { colour } = output.err;
      if (diagnostics.length > 0) output.err.write(renderFindings(result, { colour }));
    }
    return plan;
  } catch (thrown) {
    if (!(thrown instanceof ControlError) || !isConfigurationProblem(thrown.problem)) throw thrown;
    const { diagnostics } = thrown.problem;
    const footer = "What runs is unchanged.";
    if (asJson) output.json({ diagnostics });
    else output.err.write(renderFindings(thrown.problem, { colour: output.err.colour, footer }));
    return exitFor(diagnostics);
  }
}
