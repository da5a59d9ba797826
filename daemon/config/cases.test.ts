/**
 * Cases as files: a configuration, a line of dashes, and what a user sees: diagnostics, the program's blocks, a plan.
 * `---- file NAME` begins another file, `---- env` variables, `---- then` the root file after an edit.
 * `UPDATE_CASES=1` writes what is seen into the files.
 */
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import test from "ava";
import { render } from "../../grammar/render.js";
import { plan } from "./plan.js";
import type { Loaded } from "./program.js";
import { loadFiles } from "./testing/load-files.js";
import type { Files } from "./testing/memory-disk.js";
import { outlineOf, outlineOfPlan } from "./testing/outline.js";

const folder = "daemon/config/cases";
const cases = globSync(`${folder}/*.reeve`).sort();

test("there are cases", (t) => {
  t.true(cases.length >= 40);
});

for (const path of cases) {
  test(basename(path, ".reeve").replaceAll("-", " "), async (t) => {
    const text = readFileSync(path, "utf8");
    const parts = partsOf(text);
    const seen = await outcomeOf(parts);
    if (process.env.UPDATE_CASES) writeFileSync(path, `${parts.given}----\n${seen}`);
    else t.is(seen, parts.expected);
  });
}

interface Parts {
  /** Everything before the expectation, as it stands. */
  readonly given: string;
  readonly files: Files;
  readonly environment: Readonly<Record<string, string>>;
  readonly edited: string | undefined;
  readonly expected: string;
}

function partsOf(text: string): Parts {
  const [main = "", ...rest] = text.split(/^(?=----)/m);
  const sections = rest.map((section) => {
    const [, title = "", body = ""] = /^----+ *(.*)\n([\s\S]*)$/.exec(section) ?? [];
    return { section, title, body };
  });
  const files: Record<string, string> = { "main.reeve": main };
  for (const { title, body } of sections) {
    if (title.startsWith("file ")) files[title.slice("file ".length)] = body;
  }
  const variables = sections.find(({ title }) => title === "env")?.body ?? "";
  const given = sections.filter(({ title }) => title !== "").map(({ section }) => section);
  return {
    given: [main, ...given].join(""),
    files,
    environment: Object.fromEntries(
      variables
        .trim()
        .split("\n")
        .map((line) => line.split("=", 2)),
    ),
    edited: sections.find(({ title }) => title === "then")?.body,
    expected: sections.find(({ title }) => title === "")?.body ?? "",
  };
}

async function outcomeOf({ files, environment, edited }: Parts): Promise<string> {
  const first = await loadFiles(files, environment);
  if (edited === undefined) return seen(first);
  const second = await loadFiles({ ...files, "main.reeve": edited }, environment);
  if (!first.program || !second.program) return `${complaints(first)}${complaints(second)}`;
  return outlineOfPlan(plan(first.program, second.program));
}

const seen = (loaded: Loaded): string =>
  `${complaints(loaded)}${loaded.program ? outlineOf(loaded.program) : ""}`;

const complaints = ({ diagnostics, sources }: Loaded): string =>
  diagnostics.length === 0 ? "" : render(diagnostics, sources);
