/** The files in ops/ name metrics that a daemon has; Prometheus' own tool accepts and tests the rules where it is installed. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import test from "ava";
import { parse } from "yaml";
import { run, site } from "../daemon/main/testing/daemon.js";
import { runSync } from "./support/child.js";
import { program } from "./support/needs.js";

const ops = fileURLToPath(new URL("../../ops", import.meta.url));
const read = (path: string): string => readFileSync(join(ops, path), "utf8");

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string };
}
const { groups } = parse(read("prometheus/reeve.rules.yml")) as {
  groups: ReadonlyArray<{ readonly rules: readonly Rule[] }>;
};
const rules = groups.flatMap((group) => group.rules);

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: Readonly<Record<"x" | "y" | "w" | "h", number>>;
  readonly targets?: ReadonlyArray<{ readonly expr: string }>;
}
const dashboard = JSON.parse(read("grafana/reeve.json")) as {
  readonly panels: readonly Panel[];
  readonly annotations: { readonly list: ReadonlyArray<{ readonly expr: string }> };
};

/** What exists, with its kind, while every plugin runs. */
async function declared(t: Parameters<typeof site>[0]): Promise<ReadonlyMap<string, string>> {
  const folder = await site(
    t,
    `hook_server "main" { listen = "127.0.0.1:0" }
hook "a" { run = ["true"] }
sandbox "b" {}
settings "zls" { watch = ["./zls.json5"] }
updates "main" {
  listen = "127.0.0.1:0"
  repositories = "./repositories"
}
`,
  );
  const daemon = await run(t, folder);
  const { body } = await daemon.get("/metrics");
  const types = [...body.matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  return new Map(types.map(([, name = "", kind = ""]) => [name, kind]));
}

const namesIn = (expr: string): readonly string[] => expr.match(/\breeve_[a-z_]+/g) ?? [];

test("rules and panels use metrics that a daemon has, as what they are", async (t) => {
  t.timeout(90_000);
  const kinds = await declared(t);
  const queries = [
    ...rules.map(({ expr }) => expr),
    ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
    ...dashboard.annotations.list.map(({ expr }) => expr),
  ];
  t.true(queries.length > 30);
  for (const query of queries) {
    for (const name of namesIn(query)) {
      const kind = kinds.get(name) ?? kinds.get(name.replace(/_bucket$/, ""));
      t.truthy(kind, `${name} in ${query}`);
      if (kind === "counter") t.regex(query, /rate\(|increase\(|unless/, query);
    }
  }
});

test("every alert says how bad it is, what it means and what to do", (t) => {
  t.is(new Set(rules.map(({ alert }) => alert)).size, rules.length);
  for (const { alert, labels, annotations } of rules) {
    t.regex(alert, /^Reeve[A-Z]/);
    t.true(["critical", "warning", "info"].includes(labels.severity), alert);
    t.regex(annotations.summary, /\w/, alert);
    t.regex(annotations.description, /\.$/, alert);
  }
});

test("the dashboard's panels have an id, a description and room of their own", (t) => {
  const { panels } = dashboard;
  t.is(new Set(panels.map(({ id }) => id)).size, panels.length);
  for (const [index, { type, title, description, gridPos: a }] of panels.entries()) {
    if (type !== "row") t.truthy(description, title);
    t.true(a.x + a.w <= 24, title);
    for (const { title: other, gridPos: b } of panels.slice(index + 1)) {
      const apart = a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y;
      t.true(apart, `${title} and ${other}`);
    }
  }
});

test("promtool, where it is installed, accepts the rules, and each fires for what it is about", (t) => {
  const tested = parse(read("prometheus/reeve.rules.test.yml")) as {
    tests: ReadonlyArray<{ readonly name: string }>;
  };
  const names = tested.tests.map(({ name }) => name);
  t.deepEqual(
    rules.map(({ alert }) => alert).filter((alert) => !names.includes(alert)),
    [],
  );
  if (!program("promtool").isPresent()) return;
  for (const words of [
    ["check", "rules", "reeve.rules.yml"],
    ["test", "rules", "reeve.rules.test.yml"],
  ]) {
    const { code, stdout, stderr } = runSync("promtool", words, { cwd: join(ops, "prometheus") });
    t.is(code, 0, stdout + stderr);
  }
});
