/** Looks 100 dependencies up in a process that has never done so, and tells on one line how long that took. */
import { readFileSync } from "node:fs";
import { createLookup, managerOf, propose } from "../../plugins/updates/engine.js";

const [, , manifest = "", url = ""] = process.argv;
const sources = {
  directory: "/",
  tree: [{ path: "package.json", kind: "file" as const, oid: "" }],
  files: new Map([["package.json", readFileSync(manifest, "utf8")]]),
};
const settings = { registries: [{ manager: "npm_and_yarn" as const, url }] };
const manager = managerOf("npm_and_yarn");
const { dependencies, runtime } = manager.parse(sources, settings);
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
const milliseconds = performance.now() - started;
const updates = decisions.filter(({ kind }) => kind === "update").length;
process.stdout.write(JSON.stringify({ milliseconds, updates }));
