/** One of 40 packages moves in a poetry.lock: in process, and by Poetry with the same index. */

import { managerOf } from "../../../plugins/updates/managers/index.js";
import { createLookup } from "../../../plugins/updates/registries/lookup.js";
import { inPython, pythonIndex } from "../../../plugins/updates/testing/python-index.js";
import { median } from "../../support/table.js";
import type { LockRace } from "../race.js";
import { names } from "../specimen.js";

const ROUNDS = 3;
const PACKAGES = 40;

export const pipRace: LockRace = {
  manager: "pip",
  program: "poetry",
  run: async () => {
    await using index = await pythonIndex();
    for (const name of names(PACKAGES)) index.publish(name, "1.0.0");
    const wanted = names(PACKAGES).map((name) => `${name} = "1.0.0"\n`);
    const pyproject = `[tool.poetry]\nname = "app"\nversion = "0.1.0"\ndescription = ""\nauthors = []\n\n[tool.poetry.dependencies]\npython = "^3.8"\n${wanted.join("")}\n[[tool.poetry.source]]\nname = "here"\nurl = "${index.url}/"\ndefault = true\n`;
    const poetry = ["poetry", "lock", "--no-update", "--no-interaction"];
    const before = await inPython({ "pyproject.toml": pyproject }, poetry);
    const versions = names(ROUNDS).map((_, round) => `1.0.${round + 1}`);
    for (const version of versions) index.publish("package-7", version);
    const manager = await managerOf("pip");
    const settings = { registries: [{ manager: "pip" as const, url: index.url }] };
    const refuse = (): Promise<never> => Promise.reject(new Error("nothing is run"));
    const [ours, theirs]: [number[], number[]] = [[], []];
    for (const version of versions) {
      const files = new Map(Object.entries(before));
      const tree = [...files.keys()].map((path) => ({ path, kind: "file" as const, oid: "" }));
      const sources = { directory: "/", tree, files };
      const { dependencies } = manager.parse(sources, settings);
      const dependency = dependencies.find(({ name }) => name === "package-7");
      if (!dependency) throw new Error("package-7 was not found");
      const change = { dependency, to: { version }, requirements: [version] };
      const started = performance.now();
      const edit = await manager.update(
        { sources, settings, changes: [change] },
        {
          ...{ run: refuse, scratch: "/nonexistent", credentials: [] },
          lookup: createLookup({ clock: { now: Date.now, sleep: async () => undefined } }),
          workers: { refresh: refuse, fetchTool: refuse, close: async () => undefined },
        },
      );
      ours.push(performance.now() - started);
      if (edit.lock.kind !== "refreshed") throw new Error(JSON.stringify(edit.lock));
      const toolStart = performance.now();
      await inPython(
        { ...before, "pyproject.toml": edit.files.get("pyproject.toml") ?? "" },
        poetry,
      );
      theirs.push(performance.now() - toolStart);
    }
    return { ours: median(ours), theirs: median(theirs), moved: `one of ${PACKAGES} packages` };
  },
};
