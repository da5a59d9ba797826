// The mutants of an area, without those that are listed as equivalent, and a sample of them that a seed decides.
import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { AREAS } from "./areas.mjs";
import { mutantsOf } from "./operators.mjs";

/** Every mutant of an area: `{ area, path, file, line, operator, before, after, start, end, text }`. `line` is of the source. */
export function candidatesOf(area) {
  const paths = globSync(`dist/${AREAS[area].files}`, { exclude: ["**/*.test.js"] });
  return paths.sort().flatMap((path) => {
    const code = readFileSync(path, "utf8");
    const map = new SourceMap(JSON.parse(readFileSync(`${path}.map`, "utf8")));
    return mutantsOf(code).map((mutant) => {
      const from = code.lastIndexOf("\n", mutant.start - 1) + 1;
      const to = code.indexOf("\n", mutant.end);
      const row = code.slice(0, from).split("\n").length - 1;
      const { originalLine = row } = map.findEntry(row, mutant.start - from);
      const before = code.slice(from, to);
      const after = code.slice(from, mutant.start) + mutant.text + code.slice(mutant.end, to);
      const file = path.replace(/^dist\/(.*)\.js$/, "$1.ts");
      return {
        ...mutant,
        area,
        path,
        file,
        line: originalLine + 1,
        before: before.trim(),
        after: after.trim(),
      };
    });
  });
}

/** An entry without `operator` is about every mutant of that code; without `after`, about each that the operator makes. */
export function isEntryOf(entry, { file, operator, before, after }) {
  return (
    entry.file === file &&
    (entry.operator === undefined || entry.operator === operator) &&
    (entry.after === undefined || entry.after === after) &&
    before.split("\n", 1)[0].trim() === entry.code
  );
}

/** The place in a sample does not depend on other code, so a seed means the same mutants after an edit elsewhere. */
export function sampled(candidates, count, seed) {
  const seen = new Map();
  const ranked = candidates.map((mutant) => {
    const text = [seed, mutant.file, mutant.operator, mutant.before, mutant.after].join("\0");
    const again = seen.get(text) ?? 0;
    seen.set(text, again + 1);
    return [createHash("sha256").update(`${text}\0${again}`).digest("hex"), mutant];
  });
  return ranked
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .slice(0, count)
    .map(([, mutant]) => mutant);
}
