import { resolve } from "node:path";
import test from "ava";
import { type SocketSearch, socketPaths } from "./sockets.js";

const system = "/run/reeve/control.sock";
const table: ReadonlyArray<
  readonly [title: string, search: SocketSearch, paths: readonly string[]]
> = [
  ["root looks at the host's daemon", { environment: {}, uid: 0 }, [system]],
  [
    "root looks at the host's daemon before its own",
    { environment: { XDG_RUNTIME_DIR: "/run/user/0" }, uid: 0 },
    [system, "/run/user/0/reeve/control.sock"],
  ],
  [
    "a user looks at their own daemon before the host's",
    { environment: { XDG_RUNTIME_DIR: "/x", HOME: "/h" }, uid: 1000 },
    ["/x/reeve/control.sock", "/h/.local/state/reeve/control.sock", system],
  ],
  [
    "without XDG_RUNTIME_DIR the usual place is tried",
    { environment: { XDG_RUNTIME_DIR: "", XDG_STATE_HOME: "/s" }, uid: 1000 },
    ["/run/user/1000/reeve/control.sock", "/s/reeve/control.sock", system],
  ],
  [
    "REEVE_CONTROL stands alone",
    { environment: { REEVE_CONTROL: "/a.sock", XDG_RUNTIME_DIR: "/x" }, uid: 0 },
    ["/a.sock"],
  ],
  [
    "--control goes before REEVE_CONTROL and may be relative",
    { control: "b.sock", environment: { REEVE_CONTROL: "/a.sock" }, uid: 0 },
    [resolve("b.sock")],
  ],
];

for (const [title, search, paths] of table) {
  test(title, (t) => t.deepEqual(socketPaths(search), paths));
}
