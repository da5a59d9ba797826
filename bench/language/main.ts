/**
 * How fast the language is read and formatted, against its bars and its peers. Prints one Markdown table.
 *
 * What mattered, measured on the way (processor time, 1 MB): names, strings and blanks read by sticky patterns instead of
 * peggy classes, a quarter; durations and sizes reckoned without big integers where they are short, a twentieth. A third
 * of what is left is the collection of garbage, most of it the tree itself.
 */
import { createRequire } from "node:module";
import { cpus } from "node:os";
import json5 from "json5";
import { format } from "../../grammar/format.js";
import { parse } from "../../grammar/parse.js";
import { LIMITS } from "../../grammar/reading/limits.js";
import { mutations } from "../../grammar/testing/mutations.js";
import { validTexts } from "../../grammar/testing/texts.js";
import { corpus } from "./corpus.js";
import { race, since } from "./measure.js";
import { nested } from "./nested.js";

/** Its own types would bring the names of a browser into every file of the program. */
const hcl2json: { parse(name: string, text: string): Promise<unknown> } = createRequire(
  import.meta.url,
)("@cdktf/hcl2json");

interface Row {
  readonly what: string;
  readonly result: string;
  readonly bar: string;
}

const rows: readonly Row[] = [
  ...(await throughput()),
  ...(await depth()),
  worstMutation(),
  await formatting(),
];
const [cpu] = cpus();
process.stdout.write(
  [
    "| what | result | bar |",
    "|---|---|---|",
    ...rows.map(({ what, result, bar }) => `| ${what} | ${result} | ${bar} |`),
    "",
    `Node ${process.version}, ${cpus().length} × ${cpu?.model ?? "unknown processor"}, medians of processor time.`,
    "",
  ].join("\n"),
);

async function throughput(): Promise<readonly Row[]> {
  const texts = corpus(LIMITS.bytes);
  const source = { path: "main.reeve", text: texts.reeve };
  if (parse(source).diagnostics.length > 0) throw new Error("the benchmark's text has mistakes");
  const times = await race(
    [
      { name: "reeve", run: () => parse(source) },
      { name: "json5", run: () => json5.parse(texts.json5) },
      { name: "hcl", run: () => hcl2json.parse("main.tf", texts.hcl) },
    ],
    { rounds: 15, warmUp: 5 },
  );
  const time = (name: string) => times.get(name) ?? Number.NaN;
  const speed = (name: string, text: string) =>
    `${(Buffer.byteLength(text) / 1e6 / (time(name) / 1000)).toFixed(1)} MB/s`;
  const ratio = (name: string) => `${(time(name) / time("reeve")).toFixed(2)}×`;
  return [
    { what: "`parse()`, 1 MB", result: speed("reeve", texts.reeve), bar: "≥ 8 MB/s" },
    { what: "json5, the same configuration", result: speed("json5", texts.json5), bar: "" },
    { what: "our speed relative to json5", result: ratio("json5"), bar: "≥ 0.5×" },
    { what: "hcl2json, the same configuration", result: speed("hcl", texts.hcl), bar: "" },
    { what: "our speed relative to hcl2json", result: ratio("hcl"), bar: "≥ 5×" },
  ];
}

async function depth(): Promise<readonly Row[]> {
  const times = await race(
    Object.entries(nested).flatMap(([name, text]) => [
      { name, run: () => parse({ path: "x", text: text(LIMITS.nesting) }) },
      { name: `${name} beyond`, run: () => parse({ path: "x", text: text(10_000) }) },
    ]),
    { rounds: 15, warmUp: 1 },
  );
  return Object.keys(nested).map((name) => ({
    what: `${name}, ${LIMITS.nesting} deep (10,000 deep, refused)`,
    result: `${(times.get(name) ?? 0).toFixed(2)} ms (${(times.get(`${name} beyond`) ?? 0).toFixed(2)} ms)`,
    bar: "< 50 ms",
  }));
}

function worstMutation(): Row {
  const originals = validTexts.map(({ text }) => text);
  let worst = 0;
  for (const text of mutations(originals, 20_000, 42)) {
    const start = process.cpuUsage();
    parse({ path: "x", text });
    worst = Math.max(worst, since(start));
  }
  return {
    what: "20,000 damaged files, the slowest",
    result: `${worst.toFixed(1)} ms`,
    bar: "< 1 s",
  };
}

async function formatting(): Promise<Row> {
  const { reeve } = corpus(LIMITS.bytes);
  const times = await race([{ name: "format", run: () => format(reeve) }], {
    rounds: 5,
    warmUp: 1,
  });
  const milliseconds = times.get("format") ?? Number.NaN;
  const speed = `${(reeve.length / 1e6 / (milliseconds / 1000)).toFixed(1)} MB/s`;
  return { what: "`format()`, 1 MB, checking itself", result: speed, bar: "" };
}
