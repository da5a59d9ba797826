import test from "ava";
import { type SocketPathOptions, socketPath } from "./socket-path.js";

const serves = test.macro({
  exec: (t, options: SocketPathOptions, path: string) => t.is(socketPath(options), path),
  title: (what = "", _options: SocketPathOptions, path: string) => `${what} serves at ${path}`,
});
const home = { XDG_RUNTIME_DIR: "/run/user/7" };
test("root", serves, { environment: {}, user: 0 }, "/run/reeve/control.sock");
test("a user", serves, { environment: home, user: 7 }, "/run/user/7/reeve/control.sock");
test(
  "a user without a session",
  serves,
  { environment: {}, user: 7 },
  "/run/user/7/reeve/control.sock",
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
