// The tests of a module: those that import it, nearest first, and what each of them executes, by V8's coverage.
import { createHash } from "node:crypto";
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join, posix } from "node:path";
import { pathToFileURL } from "node:url";
import { AREAS } from "./areas.mjs";
import { CACHE } from "./copy.mjs";

const MUTATED = new Set(
  Object.values(AREAS).flatMap(({ files }) =>
    globSync(`dist/${files}`, { exclude: ["**/*.test.js"] }),
  ),
);

export class Tests {
  #copy;
  #most;
  #imports = new Map();
  #importers = new Map();
  #facts = new Map();
  /** Tests that fail without a mutant. */
  broken = new Set();

  /** `most`: test files of other folders that may be tried for a mutant. */
  constructor(copy, most) {
    this.#copy = copy;
    this.#most = most;
    for (const path of globSync("dist/**/*.js", { exclude: ["dist/bundle/**"] })) {
      const code = readFileSync(path, "utf8");
      const specifiers = code.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g);
      const targets = [...specifiers].map(([, to]) => posix.join(posix.dirname(path), to));
      this.#imports.set(path, targets);
      for (const target of targets)
        this.#importers.set(target, [...(this.#importers.get(target) ?? []), path]);
    }
  }

  /** Those beside the module first, then by the number of imports between, then those of the area that use it in another way. */
  #near({ path, area }) {
    const folder = posix.dirname(path);
    const beside = [];
    const others = [];
    const seen = new Set([path]);
    let ring = [path];
    while (ring.length > 0) {
      ring = ring.flatMap((each) => this.#importers.get(each) ?? []);
      ring = [...new Set(ring)].filter((each) => !seen.has(each));
      for (const each of ring) seen.add(each);
      for (const test of ring.filter((each) => each.endsWith(".test.js")).sort())
        (posix.dirname(test) === folder ? beside : others).push(test);
    }
    const further = globSync(`dist/${AREAS[area].further}`).sort();
    const own = path.replace(/\.js$/, ".test.js");
    const isOwn = (test) =>
      Number(test.replace(/\.(sys|tool|long)\.test\.js$/, ".test.js") === own);
    beside.sort((one, other) => isOwn(other) - isOwn(one));
    return [...new Set([...beside, ...others.slice(0, this.#most), ...further])];
  }

  /** Those that execute the place of the mutant, with the milliseconds that each takes. The mutant must not be in place meanwhile. */
  async *of(mutant) {
    let found = 0;
    for (const test of this.#near(mutant)) {
      if (found >= this.#most && posix.dirname(test) !== posix.dirname(mutant.path)) return;
      const { took, ran } = await this.#factsOf(test);
      if (this.broken.has(test) || !isExecuted(ran[mutant.path], mutant.start)) continue;
      yield { test, took };
      found += 1;
    }
  }

  async #factsOf(test) {
    const known = this.#facts.get(test);
    if (known !== undefined) return known;
    const place = join(CACHE, `facts-${this.#digestOf(test)}.json`);
    if (existsSync(place)) this.#facts.set(test, JSON.parse(readFileSync(place, "utf8")));
    else {
      const facts = await this.#measured(test);
      this.#facts.set(test, facts);
      if (!this.broken.has(test)) writeFileSync(place, JSON.stringify(facts));
    }
    return this.#facts.get(test);
  }

  async #measured(test) {
    mkdirSync(CACHE, { recursive: true });
    const directory = mkdtempSync(join(CACHE, "coverage-"));
    process.stderr.write(`\rWhat ${test.slice(5)} executes\n`);
    try {
      for (const _attempt of [1, 2]) {
        const began = performance.now();
        // Cached code has less precise counts.
        const env = { NODE_V8_COVERAGE: directory, NODE_DISABLE_COMPILE_CACHE: "1" };
        const result = await this.#copy.run(test, 240_000, env);
        const took = performance.now() - began;
        if (result === "passed") return { took, ran: this.#coverage(directory) };
      }
      this.broken.add(test);
      return { took: 0, ran: {} };
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  }

  /** Path → a list, of each process the functions' ranges with their counts. Only modules that are mutated. */
  #coverage(directory) {
    const base = `${pathToFileURL(this.#copy.path).href}/`;
    const ran = {};
    for (const name of readdirSync(directory)) {
      let result;
      try {
        ({ result } = JSON.parse(readFileSync(join(directory, name), "utf8")));
      } catch {
        continue; // The process was ended while it wrote.
      }
      for (const { url, functions } of result) {
        const path = url.startsWith(base) ? url.slice(base.length) : undefined;
        if (!MUTATED.has(path)) continue;
        const ranges = functions.flatMap((each) =>
          each.ranges.map(({ startOffset, endOffset, count }) => [startOffset, endOffset, count]),
        );
        ran[path] = [...(ran[path] ?? []), ranges];
      }
    }
    return ran;
  }

  /** Of a test, all that it imports, and all that is mutated: a daemon in a child process may use it. */
  #digestOf(test) {
    const paths = new Set([test]);
    for (const path of paths) for (const each of this.#imports.get(path) ?? []) paths.add(each);
    for (const path of MUTATED) paths.add(path);
    const hash = createHash("sha256").update(test);
    for (const path of [...paths].sort())
      if (existsSync(path)) hash.update(path).update("\0").update(readFileSync(path));
    return hash.digest("hex").slice(0, 32);
  }
}

/** The innermost range decides. */
function isExecuted(processes = [], offset) {
  return processes.some((ranges) => {
    let innermost = [-1, Number.POSITIVE_INFINITY, 0];
    for (const range of ranges) {
      const [start, end] = range;
      if (start > offset || offset >= end) continue;
      if (end - start <= innermost[1] - innermost[0]) innermost = range;
    }
    return innermost[2] > 0;
  });
}
