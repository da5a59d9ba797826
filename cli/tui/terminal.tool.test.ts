/** `reeve top` on a real terminal, with a real daemon. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ava from "ava";
import type { Ending } from "../../tests/support/child.js";
import { eventually } from "../../tests/support/eventually.js";
import { needs, program } from "../../tests/support/needs.js";
import { folder, reeve } from "../testing/reeve.js";
import { type Running, running } from "../testing/running.js";
import { terminal } from "./testing/tmux.js";

const withTmux = program("tmux");
const test = needs(ava, withTmux);

const configuration = (cwd: string): string => `
hook_server "main" {
  listen = "unix:${join(cwd, "hooks.sock")}"
}
hook "hello" {
  methods = ["GET", "POST"]
  run = ["echo", "hello there"]
  response {
    include_output = true
  }
}
`;

function configured(t: Ending): string {
  const cwd = folder(t);
  writeFileSync(join(cwd, "main.reeve"), configuration(cwd));
  return cwd;
}

const call = async (cwd: string, name: string): Promise<string> => {
  const { request } = await import("node:http");
  const { text } = await import("node:stream/consumers");
  const answer = Promise.withResolvers<string>();
  const sent = request({
    socketPath: join(cwd, "hooks.sock"),
    path: `/hooks/${name}`,
    method: "POST",
  });
  sent.on("response", (response) => answer.resolve(text(response)));
  sent.on("error", answer.reject);
  sent.end();
  return answer.promise;
};

test("every screen, at every size, and the terminal as it was in the end", async (t) => {
  const cwd = configured(t);
  const daemon = await running(t, cwd);
  await call(cwd, "hello");
  const top = await terminal(t, ["top", "--control", daemon.socket]);
  await top.until(/\[1 Overview\][\s\S]*1 plugin, 2 blocks[\s\S]*✓ hello succeeded in [^\n]*POST/);
  t.is(await top.ask("#{alternate_on} #{cursor_flag}"), "1 0");

  await top.press("2");
  await top.until(/\[2 Hooks\][\s\S]*hello +1/);
  await top.press("t");
  await top.until(/succeeded +hook\.hello/);
  await top.press("Enter");
  await top.until(/hook\.hello +✓ succeeded[\s\S]*hello there/);
  await call(cwd, "hello");
  await top.press("Escape");
  await top.until(/\[Runs\].* 2$/m);
  await top.press("3");
  await top.until(/The updates plugin does not run/);
  await top.press("6", "Enter");
  await top.until(/Permissions/);
  await top.press("7");
  await top.until(/What is on disk is what runs[\s\S]*1 +committed/);
  await top.press("8", "/");
  await top.press("f", "i", "n", "i", "s", "h", "Enter");
  await top.until(/with "finish"[\s\S]*hello succeeded/, /hello runs/);
  await top.press("v");
  await top.until(/hook\.finished +hook=hello/);

  for (const [width, height] of [
    [60, 15],
    [250, 80],
    [80, 24],
    [30, 5],
    [100, 30],
  ] as const) {
    await top.resize(width, height);
    const whole = width < 40 ? /^Too small: 30x5/ : /^reeve 0[\s\S]*quit\n*$/;
    await eventually(`a screen of ${width} columns`, async () => {
      const shown = await top.screen();
      return whole.test(shown) && shown.split("\n").every((line) => line.length <= width);
    });
  }
  await top.press("q");
  t.regex(await top.until(/AFTER/), /^BEFORE\nAFTER 0\n/);
  t.is(await top.ask("#{alternate_on} #{cursor_flag}"), "0 1");
});

for (const signal of ["SIGTERM", "SIGHUP", "SIGINT"] as const) {
  test(`${signal} ends it and leaves the terminal as it was`, async (t) => {
    const top = await terminal(t, ["top", "--control", shared.socket]);
    await top.until(/\[1 Overview\]/);
    await eventually("the mouse is reported", async () => (await top.ask(MOUSE)) === "1 1");
    process.kill(await top.pid(), signal);
    t.regex(await top.until(/AFTER/), /BEFORE[\s\S]*AFTER \d+/);
    t.is(await top.ask("#{alternate_on} #{cursor_flag}"), "0 1");
    t.is(await top.ask(MOUSE), "0 0");
  });
}

/** A daemon for the tests that only look. */
let shared: Running;
const ends: Array<() => unknown> = [];
const endings: Ending = { teardown: (end) => ends.unshift(end) };
ava.before(async () => {
  if (withTmux.isPresent()) shared = await running(endings, configured(endings));
});
ava.after.always(async () => {
  for (const end of ends) await end();
});

/** Whether the terminal reports the mouse, and in which form. */
const MOUSE = "#{mouse_standard_flag} #{mouse_sgr_flag}";

test("the mouse chooses and scrolls; it is the terminal's again in the editor and in the end", async (t) => {
  const cwd = configured(t);
  const daemon = await running(t, cwd);
  await call(cwd, "hello");
  const editor = join(cwd, "nano");
  writeFileSync(editor, "#!/bin/sh\necho EDITING\nread answer\n", { mode: 0o755 });
  const env = { VISUAL: editor };
  const top = await terminal(t, ["top", "--control", daemon.socket], { env });
  await top.until(/1 plugin, 2 blocks/);
  await eventually("the mouse is reported", async () => (await top.ask(MOUSE)) === "1 1");
  // A press on the second name of the second line.
  await top.press("-l", "\u001b[<0;16;2M\u001b[<0;16;2m");
  await top.until(/\[2 Hooks\][\s\S]*▌ hello/);
  await top.press("e");
  await top.until(/EDITING/);
  t.is(await top.ask(MOUSE), "0 0");
  await top.press("Enter");
  await top.until(/\[2 Hooks\]/);
  await eventually("the mouse is reported", async () => (await top.ask(MOUSE)) === "1 1");
  await top.press("8");
  await top.until(/\[8 Logs\][\s\S]*▌[^\n]*\n[\s\S]*hook\.hello/);
  await top.press("-l", "\u001b[<65;20;10M");
  await top.until(/\n {2}\d\d:[^\n]*\n {2}\d\d:[^\n]*\n {2}\d\d:[^\n]*\n▌/);
  await top.press("q");
  await top.until(/AFTER 0/);
  t.is(await top.ask(MOUSE), "0 0");
});

test("--no-mouse leaves the mouse to the terminal", async (t) => {
  const top = await terminal(t, ["top", "--no-mouse", "--control", shared.socket]);
  await top.until(/\[1 Overview\][\s\S]*1 plugin, 2 blocks/);
  await top.press("2");
  await top.until(/\[2 Hooks\]/);
  t.is(await top.ask(MOUSE), "0 0");
});

for (const foreign of [false, true]) {
  test(`a terminal that goes ${foreign ? "without a signal " : ""}takes it along`, async (t) => {
    const top = await terminal(t, ["top", "--control", shared.socket], { foreign });
    await top.until(/\[1 Overview\]/);
    const pid = await top.pid();
    t.true(isAlive(pid));
    await top.close();
    await eventually("its end", () => !isAlive(pid));
    t.false(isAlive(pid));
  });
}

/** Who started it has gone, too: nobody may be there to take note of its end. */
function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

test("a daemon that ends is missed, and found again", async (t) => {
  const cwd = configured(t);
  const daemon = await running(t, cwd);
  const top = await terminal(t, ["top", "--control", daemon.socket]);
  await top.until(/1 plugin, 2 blocks/);
  await daemon.end();
  const lost = await top.until(/trying again\. What is shown is \d/);
  t.regex(lost, /is well: 1 plugin, \d blocks/, "what was known stays");
  const again = await running(t, cwd);
  await top.until(new RegExp(`pid ${again.child.pid}`), /trying again/);
});

test("e opens the chosen block in the editor, which has the terminal, and reloads afterwards", async (t) => {
  const cwd = configured(t);
  const daemon = await running(t, cwd);
  const editor = join(cwd, "nano");
  const script = `#!/bin/sh\necho "EDITING $@"\nread answer\nprintf '\n## %s\n' "$answer" >> "$2"\n`;
  writeFileSync(editor, script, { mode: 0o755 });
  const top = await terminal(t, ["top", "--control", daemon.socket], { env: { VISUAL: editor } });
  await top.until(/1 plugin, 2 blocks/);
  await top.press("2");
  await top.until(/\[2 Hooks\][\s\S]*hello/);
  await top.press("e");
  await top.until(/EDITING \+\d+ .*main\.reeve/);
  await top.press("q", "2", "Enter");
  await top.until(/\[2 Hooks\][\s\S]*Nothing changed/);
  t.regex(readFileSync(join(cwd, "main.reeve"), "utf8"), /\n## q2\n$/);
});

test("an edit with an error is shown with carets; going back is asked about first", async (t) => {
  const cwd = configured(t);
  const daemon = await running(t, cwd);
  const top = await terminal(t, ["top", "config", "--control", daemon.socket], { height: 40 });
  await top.until(/1 +committed/);
  writeFileSync(join(cwd, "main.reeve"), configuration(cwd).replace("hello there", "changed"));
  await top.until(/2 +committed|2 +probation/);
  writeFileSync(join(cwd, "main.reeve"), configuration(cwd).replace("methods", "metods"));
  await top.until(/metods[\s\S]*\^\^\^\^\^\^/);
  await top.press("G", "b");
  await top.until(/Run generation 1 again, until the next edit\? y: yes/);
  await top.press("n");
  await top.until(/Nothing was done/);
  t.is((await daemon.control.status()).generation?.number, 2);
  await top.press("b", "y");
  await top.until(/Generation \d+ runs/);
  t.true(((await daemon.control.status()).generation?.number ?? 0) > 2);
});

test("without a daemon it says how to start one, and touches nothing", async (t) => {
  const top = await terminal(t, ["top", "--control", join(folder(t), "none.sock")], { width: 200 });
  const seen = await top.until(/AFTER/);
  t.regex(seen, /the daemon is not running/);
  t.regex(seen, /Start it with `reeve up`/);
  t.regex(seen, /AFTER 69/);
});

test("without a terminal it says what to use instead", async (t) => {
  const { code, stderr, stdout } = await reeve(["top"]);
  t.is(code, 64);
  t.is(stdout, "");
  t.regex(stderr, /needs a terminal[\s\S]*--once/);
});

test("--plain needs no terminal: it reads commands and ends with its input", async (t) => {
  const words = ["top", "--plain", "--control", shared.socket];
  const { code, stdout: said } = await reeve(words, { stdin: "2\nfind hello\n" });
  t.regex(
    said,
    /^reeve 0[^\n]*, running[\s\S]*\n1\. hook hello[\s\S]*\n1\. hello, in Hooks, Hooks\n/,
  );
  t.false(said.includes("\u001b"));
  t.is(code, 0);
});

test("no colours where NO_COLOR says so, and ASCII where the locale is not UTF-8", async (t) => {
  const words = ["top", "--control", shared.socket];
  const top = await terminal(t, words, { env: { NO_COLOR: "1", LANG: "C", LC_ALL: "C" } });
  const seen = await top.until(/\[1 Overview\][\s\S]*v all is well: 1 plugin/);
  t.regex(seen, /^[\n -~]*$/);
});

/** A bug, brought in from outside with SIGUSR2. */
const bugs: Readonly<Record<string, string>> = {
  "in a timer": `throw new Error("a bug");`,
  "in a promise": `Promise.reject(new Error("a bug"));`,
  "while drawing": `String.prototype.repeat = () => { throw new Error("a bug"); };`,
};
for (const [where, source] of Object.entries(bugs)) {
  test(`a bug ${where} leaves the terminal as it was, with one sentence`, async (t) => {
    const script = encodeURIComponent(`process.on("SIGUSR2", () => { ${source} });`);
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${script.replaceAll("'", "%27")}` };
    const top = await terminal(t, ["top", "--control", shared.socket], { env });
    await top.until(/\[1 Overview\]/);
    process.kill(await top.pid(), "SIGUSR2");
    const seen = await top.until(/AFTER \d/);
    t.regex(seen, /^BEFORE\n[^\n]*a bug\n[^\n]*report it\.\nAFTER 70\n/);
    t.is(await top.ask(MOUSE), "0 0");
    t.is(await top.ask("#{alternate_on} #{cursor_flag}"), "0 1");
  });
}
