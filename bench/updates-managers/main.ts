/**
 * Package managers: what an update costs without network and lock file, and lock files beside the tools on this machine. A manifest with 1,000 dependencies is parsed, every
 * dependency is decided with what its registry said before, and all of them are edited.
 * Prints one table: node dist/bench/updates-managers/main.js
 */
import { spawnSync } from "node:child_process";
import type { UpdateDecision } from "../../plugins/updates/decide/contract.js";
import { propose } from "../../plugins/updates/decide/propose.js";
import type { Manager, VersionChange } from "../../plugins/updates/managers/contract.js";
import { managerOf } from "../../plugins/updates/managers/index.js";
import type { Lookup } from "../../plugins/updates/registries/contract.js";
import { median, print, type Row } from "../support/table.js";
import { bundlerRace } from "./locks/bundler.js";
import { cargoRace } from "./locks/cargo.js";
import { composerRace } from "./locks/composer.js";
import { elmRace } from "./locks/elm.js";
import { hexRace } from "./locks/hex.js";
import { nugetRace } from "./locks/nuget.js";
import { pipRace } from "./locks/pip.js";
import { bundler } from "./manifests/bundler.js";
import { cargo } from "./manifests/cargo.js";
import { composer } from "./manifests/composer.js";
import { dep } from "./manifests/dep.js";
import { elm } from "./manifests/elm.js";
import { gradle } from "./manifests/gradle.js";
import { hex } from "./manifests/hex.js";
import { maven } from "./manifests/maven.js";
import { nuget } from "./manifests/nuget.js";
import { pip } from "./manifests/pip.js";
import { terraform } from "./manifests/terraform.js";
import type { LockRace } from "./race.js";
import type { Specimen } from "./specimen.js";

const COUNT = 1000;
const ROUNDS = 15;

const specimens: readonly Specimen[] = [
  // One a line.
  bundler,
  cargo,
  elm,
  composer,
  dep,
  gradle,
  hex,
  maven,
  nuget,
  pip,
  terraform,
];

const races: readonly LockRace[] = [
  // One a line.
  bundlerRace,
  cargoRace,
  composerRace,
  elmRace,
  hexRace,
  nugetRace,
  pipRace,
];

/** Answers as the daemon's look-up does when it has asked before: with what it kept. */
function remembering({ answer, references = [] }: Specimen): Lookup {
  const kept = new Map<string, unknown>();
  const lookup: Lookup = {
    fetch: async (question) => {
      const key = `${question.purpose} ${question.url}`;
      if (!kept.has(key)) {
        const said = answer?.(question.url) ?? "";
        const body = typeof said === "string" ? new TextEncoder().encode(said) : said;
        kept.set(key, await question.digest({ url: question.url, header: () => undefined, body }));
      }
      return kept.get(key) as never;
    },
    references: async () => references,
    fresh: () => lookup,
  };
  return lookup;
}

const unavailable = () => Promise.reject(new Error("There is no lock file here."));

async function once(manager: Manager, specimen: Specimen, lookup: Lookup): Promise<number> {
  const files = new Map(Object.entries(specimen.files(COUNT)));
  const tree = [...files.keys()].map((path) => ({ path, kind: "file" as const, oid: "" }));
  const sources = { directory: "/", tree, files };
  const settings = { registries: specimen.registries ?? [] };
  const started = performance.now();
  const { dependencies, runtime } = manager.parse(sources, settings);
  const decisions: UpdateDecision[] = [];
  for (const dependency of dependencies)
    decisions.push(
      await propose({
        ...{ manager, dependency, runtime, lookup },
        ...{ library: false, advisories: [], now: 0 },
        policy: { lockfileOnly: false, securityOnly: false, ignore: [] },
      }),
    );
  const changes = decisions.flatMap((decision): readonly VersionChange[] =>
    decision.kind === "update" ? [decision.change] : [],
  );
  if (changes.length !== COUNT) throw new Error(`${changes.length} of ${COUNT} were decided.`);
  await manager.update(
    { sources, settings, changes },
    {
      lookup,
      run: unavailable,
      scratch: "/nonexistent",
      credentials: [],
      workers: { refresh: unavailable, fetchTool: unavailable, close: async () => undefined },
    },
  );
  return performance.now() - started;
}

const rows: Row[] = [];
for (const specimen of specimens) {
  const manager = await managerOf(specimen.manager);
  const lookup = remembering(specimen);
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) times.push(await once(manager, specimen, lookup));
  rows.push({
    what: `${manager.id}: parse, decide and edit ${COUNT} dependencies`,
    result: `${median(times.slice(3)).toFixed(1)} ms`,
    bar: "≤ 50 ms",
  });
}
for (const race of races) {
  const { manager, program } = race;
  const what = `${manager}: lock file`;
  const bar = "≥ 3× faster than the tool";
  if (race.brings) process.env.PATH = `${await race.brings()}:${process.env.PATH}`;
  if (spawnSync("sh", ["-c", `command -v ${program}`]).status !== 0) {
    rows.push({ what, result: `${program} is not on this machine`, bar });
    continue;
  }
  const { ours, theirs, moved } = await race.run();
  const times = `${ours.toFixed(1)} ms, ${program} ${theirs.toFixed(0)} ms`;
  rows.push({ what, result: `${times}: ${(theirs / ours).toFixed(0)}× (${moved})`, bar });
}
print(
  rows,
  "Made-up packages with 40 versions each, known from before; the first rounds are not counted.",
);
