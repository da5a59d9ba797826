import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import test from "ava";
import { makeUsualDirectory, type SocketPathOptions, socketPath } from "./socket-path.js";

const serves = test.macro({
  exec: (t, options: SocketPathOptions, path: string) => t.is(socketPath(options), path),
  title: (what = "", _options: SocketPathOptions, path: string) => `${what} serves at ${path}`,
});
const home = { XDG_RUNTIME_DIR: "/run/user/7" };
test("root", serves, { environment: {}, user: 0 }, "/run/reeve/control.sock");
test("a user", serves, { environment: home, user: 7 }, "/run/user/7/reeve/control.sock");
test(
  "a user in a shell that was not told of the session",
  serves,
  { environment: { HOME: "/h" }, user: 7, exists: (path) => path === "/run/user/7" },
  "/run/user/7/reeve/control.sock",
);
test(
  "a user without a session",
  serves,
  { environment: { HOME: "/h" }, user: 7, exists: () => false },
  "/h/.local/state/reeve/control.sock",
);
test(
  "a user without a session who keeps state elsewhere",
  serves,
  { environment: { HOME: "/h", XDG_STATE_HOME: "/s" }, user: 7, exists: () => false },
  "/s/reeve/control.sock",
);
test(
  "a service",
  serves,
  { environment: { RUNTIME_DIRECTORY: "/run/reeve" }, user: 7 },
  "/run/reeve/control.sock",
);
test(
  "REEVE_CONTROL",
  serves,
  { environment: { ...home, REEVE_CONTROL: "/x.sock" }, user: 7 },
  "/x.sock",
);
test(
  "--control",
  serves,
  { flag: "/y.sock", environment: { REEVE_CONTROL: "/x.sock" }, user: 0 },
  "/y.sock",
);
test(
  "an empty REEVE_CONTROL",
  serves,
  { environment: { REEVE_CONTROL: "" }, user: 0 },
  "/run/reeve/control.sock",
);

test("the directory of the usual place is made, for nobody else to enter; one that was chosen is not", (t) => {
  const runtime = mkdtempSync(join(tmpdir(), "reeve-runtime-"));
  t.teardown(() => rmSync(runtime, { recursive: true }));
  const options = { environment: { XDG_RUNTIME_DIR: runtime }, user: 7 };
  const usual = socketPath(options);
  makeUsualDirectory(usual, options);
  makeUsualDirectory(usual, options);
  t.is(statSync(dirname(usual)).mode & 0o777, 0o700);
  makeUsualDirectory(join(runtime, "chosen", "control.sock"), options);
  t.deepEqual(readdirSync(runtime), ["reeve"]);
  const nowhere = { environment: { HOME: join(runtime, "home") }, user: 7, exists: () => false };
  makeUsualDirectory(socketPath(nowhere), nowhere);
  t.is(statSync(dirname(socketPath(nowhere))).mode & 0o777, 0o700);
});
