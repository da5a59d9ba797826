/** A disk that is full: what is asked for is refused with a sentence, nothing is half done, and all goes on when there is room again. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { npmRegistry } from "../plugins/updates/testing/npm-registry.js";
import { child, outputOf } from "./support/child.js";
import { REEVE } from "./support/commands.js";
import { eventually, within } from "./support/eventually.js";
import { folder as makeFolder } from "./support/folder.js";

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers of any shape.
  readonly json: any;
}

interface Scene {
  readonly folder: string;
  ask(method: string, path: string, body?: unknown): Promise<Answer>;
  /** Nothing more can be written on the small disk. */
  fill(): Promise<void>;
  free(): Promise<void>;
  until(holds: () => Promise<boolean>): Promise<void>;
}

/** A daemon of which one directory is on a disk of four mebibytes, seen by it alone. */
async function scene(
  t: ExecutionContext,
  small: "repositories" | "state",
  registry: string,
): Promise<Scene> {
  t.timeout(240_000);
  const folder = makeFolder(t);
  const socketPath = join(folder, "c.sock");
  mkdirSync(join(folder, "repositories"));
  mkdirSync(join(folder, "state"));
  writeFileSync(
    join(folder, "main.reeve"),
    `updates "main" {
  listen = "127.0.0.1:0"
  repositories = "./repositories"
  registry "npm_and_yarn" { url = "${registry}" }
}
`,
  );
  const up = `"${process.execPath}" "${REEVE}" up "${folder}" --state "${folder}/state" --control "${socketPath}"`;
  // The shell runs in the daemon's namespace and executes the given commands there.
  const log = join(folder, "log");
  const script = `${up} >"${log}" 2>&1 & daemon=$!
while read -r line; do eval "$line"; echo done; done; kill -9 $daemon; wait`;
  const bwrap = ["--bind", "/", "/", "--dev-bind", "/dev", "/dev", "--proc", "/proc"];
  const disk = ["--size", String(4 * 1024 * 1024), "--tmpfs", join(folder, small)];
  const words = [...bwrap, ...disk, "--die-with-parent", "sh", "-c", script];
  const shell = child(t, "bwrap", words, { stdio: "pipe" });
  // With its input it ends the daemon.
  t.teardown(async () => {
    shell.process.stdin?.end();
    await within("the end of the daemon", shell.ended, 15_000).catch(() => undefined);
  });
  const execute = async (command: string): Promise<void> => {
    const before = shell.stdout.length;
    shell.process.stdin?.write(`${command}\n`);
    await eventually(command, () => shell.stdout.length > before);
  };
  const ask: Scene["ask"] = (method, path, body) =>
    new Promise((resolve, reject) => {
      const headers = body === undefined ? {} : { "content-type": "application/json" };
      const sent = request({ socketPath, method, path, headers }, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk;
        });
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            json: text === "" ? null : JSON.parse(text),
          }),
        );
      });
      sent.on("error", reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  const until: Scene["until"] = async (holds) => {
    const look = async () => !shell.isAlive || holds();
    await eventually("what the daemon is to do", look, { every: 20 }).catch(async (thrown) => {
      const runs = JSON.stringify((await ask("GET", "/v1/updates/runs")).json);
      throw new Error(`${runs}\n${readFileSync(log, "utf8").slice(-4096)}`, { cause: thrown });
    });
    if (!shell.isAlive) throw new Error(`the daemon ended: ${shell.stderr}`);
  };
  await until(async () => (await ask("GET", "/v1/updates")).status === 200);
  const ballast = join(folder, small, "ballast");
  return {
    folder,
    ask,
    until,
    fill: () => execute(`head -c 8000000 /dev/zero > "${ballast}" 2>/dev/null`),
    free: () => execute(`rm "${ballast}"`),
  };
}

/** A repository with one dependency, pushed over HTTP, and its config. */
async function configured(at: Scene): Promise<void> {
  const { json } = await at.ask("GET", "/v1/updates");
  await at.ask("POST", "/v1/updates/accounts", { login: "acme" });
  await at.ask("POST", "/v1/updates/repos", { login: "acme", name: "site" });
  const { token } = (await at.ask("POST", "/v1/updates/tokens", { login: "acme" })).json;
  const work = join(at.folder, "work");
  mkdirSync(work);
  const manifest = { name: "site", dependencies: { "left-foo": "1.0.0" } };
  writeFileSync(join(work, "package.json"), JSON.stringify(manifest));
  const git = (...args: string[]) =>
    outputOf("git", ["-C", work, "-c", "user.name=Ada", "-c", "user.email=a@b.c", ...args]);
  await git("init", "--quiet", "--initial-branch=main");
  await git("add", "--all");
  await git("commit", "--quiet", "--message", "begin");
  const remote = `${json.url.replace("://", `://ada:${token}@`)}/git/acme/site.git`;
  await git("push", "--quiet", remote, "main");
  await at.ask("POST", "/v1/updates/configs", {
    ...{ repo: "acme/site", "package-manager": "npm_and_yarn", "update-schedule": "live" },
  });
  await at.until(async () => (await lastRun(at)).state === "succeeded");
}

const lastRun = async (at: Scene) =>
  (await at.ask("GET", "/v1/updates/runs")).json.runs[0] as {
    readonly state: string;
    readonly reason: string | null;
  };
const announce = (at: Scene): Promise<Answer> =>
  at.ask("POST", "/v1/updates/notifications", {
    ...{ name: "left-foo", version: "1.0.1", "package-manager": "npm_and_yarn" },
  });
const pulls = async (at: Scene) => (await at.ask("GET", "/v1/updates/pulls")).json.pulls;

test("repositories without room: the run says so, and the next one opens the pull request", async (t) => {
  await using registry = await npmRegistry({ "left-foo": { "1.0.0": {} } });
  const at = await scene(t, "repositories", registry.url);
  await configured(at);
  await at.fill();
  registry.publish("left-foo", "1.0.1");
  t.is((await announce(at)).status, 200);
  await at.until(async () => (await lastRun(at)).state === "failed");
  t.regex((await lastRun(at)).reason ?? "", /No space left on device|unable to write|disk/i);
  t.deepEqual(await pulls(at), []);
  await at.free();
  const [{ id }] = (await at.ask("GET", "/v1/updates/configs")).json.configs;
  await at.ask("POST", `/v1/updates/configs/${id}/run`);
  await at.until(async () => (await pulls(at)).length === 1);
  t.like((await pulls(at))[0], { number: 1, state: "open" });
});

test("records without room: changes are refused with a sentence, and made when there is room", async (t) => {
  await using registry = await npmRegistry({ "left-foo": { "1.0.0": {} } });
  const at = await scene(t, "state", registry.url);
  await configured(at);
  await at.fill();
  const answers: Answer[] = [];
  // The last page that was allocated takes a few more rows.
  for (let count = 0; count < 400 && (answers.at(-1)?.status ?? 200) < 500; count += 1) {
    answers.push(await at.ask("POST", "/v1/updates/tokens", { login: "acme" }));
  }
  const refused = answers.at(-1);
  t.true((refused?.status ?? 0) >= 500, String(refused?.status));
  t.regex(JSON.stringify(refused?.json), /full|space|disk/i);
  t.is((await at.ask("GET", "/v1/updates/configs")).status, 200, "what is there can be read");
  await at.free();
  t.is((await at.ask("POST", "/v1/updates/tokens", { login: "acme" })).status, 200);
  registry.publish("left-foo", "1.0.1");
  t.is((await announce(at)).status, 200);
  await at.until(async () => (await pulls(at)).length === 1);
  t.is((await pulls(at))[0].state, "open");
});
