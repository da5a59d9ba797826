/** Looks 100 dependencies up in a process that has never done so, then again with nothing kept, and tells on one line how long each took. */
import { readFileSync } from "node:fs";
import { propose } from "../../plugins/updates/decide/propose.js";
import { managerOf } from "../../plugins/updates/managers/index.js";
import { createLookup } from "../../plugins/updates/registries/lookup.js";
import { median } from "../support/table.js";

const [, , manifest = "", url = ""] = process.argv;
const sources = {
  directory: "/",
  tree: [{ path: "package.json", kind: "file" as const, oid: "" }],
  files: new Map([["package.json", readFileSync(manifest, "utf8")]]),
};
const settings = { registries: [{ manager: "npm_and_yarn" as const, url }] };
const manager = await managerOf("npm_and_yarn");
const { dependencies, runtime } = manager.parse(sources, settings);

/** Milliseconds, and how many updates were found. */
async function looked(): Promise<{ readonly milliseconds: number; readonly updates: number }> {
  const lookup = createLookup({ clock: { now: Date.now, sleep: async () => undefined } });
  const started = performance.now();
  const decisions = await Promise.all(
    dependencies.map((dependency) =>
      propose({
        manager,
        dependency,
        runtime,
        library: false,
        advisories: [],
        policy: { lockfileOnly: false, securityOnly: false, ignore: [] },
        lookup,
        now: Date.now(),
      }),
    ),
  );
  const updates = decisions.filter(({ kind }) => kind === "update").length;
  return { milliseconds: performance.now() - started, updates };
}

const { milliseconds, updates } = await looked();
const whole = process.uptime() * 1000;
const { maxRSS } = process.resourceUsage();
const again: number[] = [];
for (let round = 0; round < 7; round += 1) again.push((await looked()).milliseconds);
process.stdout.write(
  JSON.stringify({ milliseconds, updates, whole, memory: maxRSS / 1024, again: median(again) }),
);
