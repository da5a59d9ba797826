import { homedir } from "node:os";
import test from "ava";
import { directoryFor } from "./code-cache.js";

const rows: ReadonlyArray<
  readonly [who: string, environment: NodeJS.ProcessEnv, uid: number, directory: string]
> = [
  ["a service of systemd", { CACHE_DIRECTORY: "/var/cache/reeve" }, 990, "/var/cache/reeve/code"],
  [
    "a service with several",
    { CACHE_DIRECTORY: "/var/cache/a:/var/cache/b" },
    0,
    "/var/cache/a/code",
  ],
  ["root", { XDG_CACHE_HOME: "/tmp/x" }, 0, "/var/cache/reeve/code"],
  ["a user who says where", { XDG_CACHE_HOME: "/data/cache" }, 1000, "/data/cache/reeve/code"],
  ["a user who says nothing", {}, 1000, `${homedir()}/.cache/reeve/code`],
  ["a user who says nonsense", { XDG_CACHE_HOME: "cache" }, 1000, `${homedir()}/.cache/reeve/code`],
];

for (const [who, environment, uid, directory] of rows) {
  test(`${who} has compiled code in ${directory.replace(homedir(), "~")}`, (t) => {
    t.is(directoryFor(environment, uid), directory);
  });
}
