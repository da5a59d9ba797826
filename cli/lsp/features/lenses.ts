/** What the running daemon knows about the blocks of a file: last runs, "run now", the plan. No daemon: no lens. */
import type { CodeLens } from "vscode-languageserver-protocol";
import type { RunList } from "../../../daemon/http/control/api.js";
import type { Control } from "../../control/client.js";
import { connect } from "../../control/client.js";
import { summaryText } from "../../print/generation.js";
import { absolute } from "../../print/units.js";
import { isSameFile } from "../../project/check-host.js";
import type { TextDocument } from "../language/document.js";
import { writtenKind } from "../language/syntax.js";
import type { Project } from "../project.js";

export const RUN_HOOK = "reeve.runHook";
export const SHOW_PLAN = "reeve.showPlan";

/** Milliseconds to wait for the daemon; an editor asks again with every edit. */
const DEADLINE = 1_000;
/** Kinds whose blocks run commands. */
const WITH_RUNS = /^(hook|sandbox|schedule|task|watch)$/;

/** The daemon that runs this configuration, if there is one. */
async function daemonOf(project: Project): Promise<Control | undefined> {
  const control = connect({ deadline: DEADLINE });
  try {
    return isSameFile(project.root, (await control.status()).root) ? control : undefined;
  } catch {
    return undefined;
  }
}

export async function codeLenses(project: Project, document: TextDocument): Promise<CodeLens[]> {
  const control = await daemonOf(project);
  if (!control) return [];
  const blocks = document.tree.items.filter((item) => item.kind === "block");
  const lenses = await Promise.all(
    blocks.map(async (block): Promise<CodeLens[]> => {
      const kind = writtenKind(block);
      if (!WITH_RUNS.test(kind)) return [];
      const range = document.rangeOf({ start: block.start, end: block.body.start });
      const keys = project.blocksAt(document.path, block.start);
      const [key] = keys;
      if (key === undefined || keys.length > 1) return [];
      const { runs } = await control
        .runs({ subject: key, limit: 1 })
        .catch((): RunList => ({ runs: [] }));
      const last: CodeLens = { range, command: { title: lastRun(runs), command: "" } };
      const run: CodeLens = {
        range,
        command: { title: "run now", command: RUN_HOOK, arguments: [key] },
      };
      return kind === "hook" ? [last, run] : [last];
    }),
  );
  const top = { line: 0, character: 0 };
  const plan: CodeLens = {
    range: { start: top, end: top },
    command: { title: "show plan", command: SHOW_PLAN, arguments: [project.root] },
  };
  return [...(document.path === project.root ? [plan] : []), ...lenses.flat()];
}

function lastRun([run]: RunList["runs"]): string {
  if (!run) return "never run";
  return `${run.state} ${absolute(run.startedAt ?? run.queuedAt, Date.now())}`;
}

/** A sentence about the run that was started, or why none was. */
export async function runHook(project: Project, key: string): Promise<string> {
  const control = await daemonOf(project);
  if (!control) return "No daemon runs this configuration.";
  const name = project.program?.blocks.get(key)?.labels[0];
  const outcome = await control
    .forPlugin("hooks")
    .post<{ readonly run?: { readonly id: string } }>("/trigger", { hook: name });
  return outcome.run
    ? `Started run ${outcome.run.id} of the hook ${name}.`
    : `The hook ${name} refused the request.`;
}

/** What a reload would change, in lines. */
export async function planText(project: Project): Promise<string> {
  const control = await daemonOf(project);
  if (!control) return "No daemon runs this configuration.";
  const { plan } = await control.plan();
  return `A reload would change: ${summaryText(plan.summary)}.`;
}
