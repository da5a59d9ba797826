/**
 * What a load costs: 1,000 hooks in 20 files, loaded cold, and again after an edit of one block; and what a condition
 * costs per request. Prints one table: node dist/bench/config/main.js
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunTimeExpression } from "../../daemon/config/expression/expression.js";
import { load } from "../../daemon/config/load.js";
import { plan } from "../../daemon/config/plan.js";
import type { Program } from "../../daemon/config/program.js";
import { catalog } from "../../daemon/config/testing/catalog.js";
import { compilePattern, LinearPattern } from "../../daemon/config/values/pattern.js";

const FILES = 20;
const HOOKS = 50;
const EDITS = 40;
const EVALUATIONS = 200_000;

const hookText = (file: number, index: number, timeout: string): string => `
hook "h-${file}-${index}" {
  use mixin.signed
  timeout = ${timeout}
  concurrency = 1
  when = payload.ref =~ re"^refs/heads/(main|release/.+)$"
      && payload.repository.full_name == "\${let.org}/r${index}"
  run = ["./deploy.sh", "--sha", payload.after, header["X-Env"] ?? "prod"]
}
`;

function fileText(file: number, edit: number): string {
  const hooks = Array.from({ length: HOOKS }, (_, index) =>
    hookText(file, index, index === 7 ? `${edit + 1}m` : "let.ci ? 1m : 10m"),
  );
  return `let ci = env("CI", default = "false") == "true"
let org = "example"
mixin "signed" {
  methods = ["POST"]
  verify "hmac" {
    header = "X-Hub-Signature-256"
    secret = secret("env:DEPLOY_SECRET")
  }
}
${hooks.join("")}`;
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
const cpuNow = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

interface Cost {
  readonly wall: number;
  readonly cpu: number;
}

async function measured<Result>(run: () => Promise<Result>): Promise<readonly [Result, Cost]> {
  const [wall, cpu] = [performance.now(), cpuNow()];
  const result = await run();
  return [result, { wall: performance.now() - wall, cpu: cpuNow() - cpu }];
}

const directory = mkdtempSync(join(tmpdir(), "reeve-bench-config-"));
try {
  mkdirSync(join(directory, "parts"));
  writeFileSync(join(directory, "main.reeve"), 'import "./parts/*.reeve"\n');
  const write = (file: number, edit: number) =>
    writeFileSync(join(directory, "parts", `${file}.reeve`), fileText(file, edit));
  for (let file = 0; file < FILES; file += 1) write(file, 0);

  const once = async (): Promise<Program> => {
    const { program, diagnostics } = await load(join(directory, "main.reeve"), { catalog });
    if (!program) throw new Error(diagnostics[0]?.message);
    return program;
  };
  const [first, cold] = await measured(once);
  let running = first;
  const loads: Cost[] = [];
  const plans: Cost[] = [];
  for (let edit = 1; edit <= EDITS; edit += 1) {
    write(3, edit);
    const [next, cost] = await measured(once);
    const [changes, planCost] = await measured(async () => plan(running, next));
    if (changes.summary.updated !== 1) throw new Error("one block must change");
    running = next;
    if (edit > EDITS / 4) {
      loads.push(cost);
      plans.push(planCost);
    }
  }

  const condition = running.blocks.get('hook["h-0-1"]')?.values.when as RunTimeExpression;
  const request = { payload: { ref: "refs/heads/main", repository: { full_name: "example/r1" } } };
  const [, evaluations] = await measured(async () => {
    for (let index = 0; index < EVALUATIONS; index += 1) condition.evaluate(request);
  });

  // A pattern that takes other engines years: the text is new each time, so that nothing is remembered.
  const hostile = compilePattern("^(a+)+$", "");
  if (!(hostile instanceof LinearPattern)) throw new Error(hostile.message);
  const matches: Cost[] = [];
  for (let index = 0; index < EDITS; index += 1) {
    const text = `${"a".repeat(10_000 + index)}!`;
    matches.push((await measured(async () => hostile.test(text)))[1]);
  }

  const row = (name: string, wall: number, cpu: number) =>
    `| ${name} | ${wall.toFixed(1)} | ${cpu.toFixed(1)} |`;
  const of = (costs: readonly Cost[], key: keyof Cost) => median(costs.map((cost) => cost[key]));
  process.stdout.write(
    `${[
      `| ${FILES * HOOKS} hooks in ${FILES} files | ms | ms of CPU |`,
      "|---|---|---|",
      row("first load of a process", cold.wall, cold.cpu),
      row("load after an edit of one block, median", of(loads, "wall"), of(loads, "cpu")),
      row("plan, median", of(plans, "wall"), of(plans, "cpu")),
      row(
        `${EVALUATIONS.toLocaleString("en")} evaluations of a condition`,
        evaluations.wall,
        evaluations.cpu,
      ),
      row(
        "`^(a+)+$` on 10,000 characters, median (bar: < 5)",
        of(matches, "wall"),
        of(matches, "cpu"),
      ),
    ].join("\n")}\n`,
  );
} finally {
  rmSync(directory, { recursive: true, force: true });
}
