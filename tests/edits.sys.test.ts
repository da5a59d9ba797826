/**
 * A daemon that runs for months is edited a thousand times: of the configurations before the running one nothing stays in memory,
 * neither of the blocks that an edit changes nor of the others in the same file.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { ask } from "../daemon/http/testing/client.js";
import { child } from "./support/child.js";
import type { Counts } from "./support/count-blocks.js";
import { eventually } from "./support/eventually.js";
import { folder } from "./support/folder.js";

const reeve = new URL("../cli/reeve.js", import.meta.url).pathname;
const counting = new URL("./support/count-blocks.js", import.meta.url).href;

/** Blocks of every kind that outlive an edit; `edit` changes all of them. */
function configuration(edit: number): string {
  const ten = Array.from({ length: 10 }, (_, at) => at);
  return `daemon {
  settle = 20ms
  probation = ${edit === 0 ? "0s" : "100ms"}
}
hook_server "main" { listen = "127.0.0.1:0" }
${ten
  .map(
    (at) => `
hook "h${at}" {
  when = payload.ref == "${edit}"
  run = ["echo", "${edit}", payload.after]
  response { mismatch_status = ${410 + edit} }
}
schedule "s${at}" {
  every = 1h
  run = ["echo", "${edit}", planned_at]
}
watch "w${at}" {
  paths = ["./watched/*.txt"]
  run = ["echo", "${edit}", changes[0].path]
}
task "t${at}" {
  param "version" { default = "${edit}" }
  run = ["echo", param.version]
}
sandbox "b${at}" { env = { EDIT = "${edit}" } }
settings "l${at}" {
  schema = "./schema.json"
  watch = ["./l${at}.json"]
  override = { edit = ${edit} }
}
notify "n${at}" {
  url = "http://127.0.0.1:9/${edit}"
  of = [hook.h${at}]
}
`,
  )
  .join("")}`;
}

/** The hook server, ten blocks of seven kinds, and one in each hook and task. */
const BLOCKS = 1 + 10 * (7 + 2);

/** Moves every block and changes one. */
const movedBy = (edit: number): string => `# ${"edited ".repeat(edit)}
${configuration(0).replace("mismatch_status = 410", `mismatch_status = ${410 + edit}`)}`;

for (const [what, text] of [
  ["that edits change", configuration],
  ["that edits move", movedBy],
] as const) {
  test(`of earlier configurations no block and no expression ${what} stays`, nothingStays, text);
}

async function nothingStays(t: ExecutionContext, text: (edit: number) => string): Promise<void> {
  t.timeout(120_000);
  const directory = folder(t, {
    "main.reeve": text(0),
    "schema.json": JSON.stringify({ type: "object" }),
    "watched/one.txt": "",
  });
  const counts = join(directory, "counts");
  const socket = join(directory, "control.sock");
  const daemon = child(
    t,
    process.execPath,
    [reeve, "up", directory, "--state", join(directory, ".state"), "--control", socket],
    { env: { ...process.env, NODE_OPTIONS: `--import ${counting}`, REEVE_COUNTS: counts } },
  );
  const isReady = async () => {
    const answer = await ask(`unix:${socket}`, "/readyz").catch(() => undefined);
    return answer?.status === 200 || (daemon.isAlive ? undefined : "ended");
  };
  t.is(await eventually("the daemon is ready", isReady), true, daemon.stderr);
  const count = async (): Promise<Counts> => {
    rmSync(counts, { force: true });
    process.kill(daemon.pid, "SIGUSR2");
    await eventually("the counts are written", () => existsSync(counts));
    return JSON.parse(readFileSync(counts, "utf8")) as Counts;
  };

  let before = await count();
  // An examination of the machine has its own while it runs, and each count, a full collection, delays it.
  const isAlone = await eventually(
    "there are only the configuration's",
    async () => {
      before = await count();
      return before.blocks === BLOCKS;
    },
    { every: 1_000 },
  ).catch(() => false);
  t.true(isAlone && before.expressions >= 40, JSON.stringify(before));
  for (let edit = 1; edit <= 4; edit += 1) {
    writeFileSync(join(directory, "main.reeve"), text(edit));
    const { body } = await ask(`unix:${socket}`, "/v1/reload", { method: "POST" });
    const { generation } = JSON.parse(body) as { generation: { number: number; state: string } };
    t.not(generation.state, "rejected", body);
    await eventually("the edit is confirmed", async () => {
      const answer = await ask(`unix:${socket}`, `/v1/generations/${generation.number}`);
      return /"state":"(committed|unchanged)"/.test(answer.body);
    });
  }
  const { blocks, expressions } = before;
  const isAsBefore = (now: Counts) => now.blocks === blocks && now.expressions === expressions;
  let now = before;
  const isGone = await eventually(
    "what remains of the edits is gone",
    async () => {
      now = await count();
      return isAsBefore(now);
    },
    { every: 1_000 },
  ).catch(() => false);
  t.true(isGone, `before ${JSON.stringify(before)}, after the edits ${JSON.stringify(now)}`);
}
