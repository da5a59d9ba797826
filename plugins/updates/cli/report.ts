/** `reeve updates report`: open proposals with their ages, merge times, dependencies that are behind. */
import {
  barChart,
  choice,
  controlExits,
  controlOptions,
  countText,
  defineCommand,
  duration,
  Exit,
  isoTime,
  type Markup,
  type Output,
  reportFacts,
  reportPage,
  reportTable,
  type TableColumn,
  table,
} from "reeve/cli";
import {
  type BehindDependency,
  type MergedProposal,
  type OpenProposal,
  type UpdatesReport,
  updatesReport,
} from "./report-data.js";
import { getUpdates, repositoryArgument } from "./requests.js";
import type { UpdatesView } from "./screen-data.js";

/** Rows of each list of the daemon; the newest ones. */
const LIMIT = 1000;

export const command = defineCommand({
  description:
    "Of the newest 1000 runs and pull requests. A dependency is behind since the first run that found a newer version. With --json: the figures of the report.",
  arguments: [repositoryArgument],
  options: {
    format: choice(["text", "html"], "tables, or a page in one file", { fallback: "text" }),
    ...controlOptions,
  },
  examples: [
    { command: "reeve updates report", does: "prints the report" },
    { command: "reeve updates report acme/site --json", does: "prints it as JSON" },
    { command: "reeve updates report --format html > updates.html", does: "writes a page" },
  ],
  exits: { [Exit.findings]: "there is no such repository", ...controlExits },
  async run({ arguments: [repo], options, output, control }) {
    const get = <Body>(path: string) => getUpdates<Body>(control, path, { repo, limit: LIMIT });
    const [{ repos }, { configs }, { runs: jobs }, { pulls }] = await Promise.all([
      get<Pick<UpdatesView, "repos">>("/repos"),
      get<Pick<UpdatesView, "configs">>("/configs"),
      get<{ readonly runs: UpdatesView["jobs"] }>("/runs"),
      get<Pick<UpdatesView, "pulls">>("/pulls"),
    ]);
    const now = Date.now();
    const shown = repo === undefined ? repos : repos.filter(({ name }) => name === repo);
    const report = updatesReport({ repos: shown, configs, jobs, pulls }, now);
    if (options.json) output.json(report);
    else if (options.format === "html") output.out.write(reportHtml(report, now));
    else for (const line of reportText(report, output)) output.out.line(line);
    return Exit.ok;
  },
});

type Column<Row> = TableColumn<Row>;

const openColumns: ReadonlyArray<Column<OpenProposal>> = [
  { title: "REPOSITORY", cell: ({ repository }) => repository },
  { title: "#", cell: ({ number }) => String(number), align: "right" },
  { title: "AGE", cell: ({ age }) => duration(age), align: "right" },
  { title: "CHECKS", cell: ({ checks }) => checks, priority: 1 },
  {
    title: "TITLE",
    cell: ({ title, security }) => (security ? `security: ${title}` : title),
    shrink: 20,
  },
  { title: "WAITS", cell: ({ reason }) => reason, priority: 2, shrink: 20 },
];
const mergedColumns: ReadonlyArray<Column<MergedProposal>> = [
  { title: "REPOSITORY", cell: ({ repository }) => repository },
  { title: "#", cell: ({ number }) => String(number), align: "right" },
  { title: "MERGED", cell: ({ mergedAt }) => isoTime(mergedAt), priority: 1 },
  { title: "TOOK", cell: ({ took }) => duration(took), align: "right" },
  { title: "TITLE", cell: ({ title }) => title, shrink: 20 },
];
const behindColumns: ReadonlyArray<Column<BehindDependency>> = [
  { title: "REPOSITORY", cell: ({ repository }) => repository },
  { title: "DIRECTORY", cell: ({ directory }) => directory, priority: 2 },
  { title: "DEPENDENCY", cell: ({ name }) => name },
  { title: "FROM", cell: ({ from }) => from },
  { title: "TO", cell: ({ to }) => to },
  { title: "BEHIND FOR", cell: ({ since }) => duration(since), align: "right" },
  { title: "STATE", cell: ({ state }) => state, priority: 1, shrink: 20 },
];

function facts({ repositories, projects, open, merged, closed, mergeTime }: UpdatesReport) {
  const times =
    mergeTime === undefined
      ? ""
      : `, half of them within ${duration(mergeTime.median)}, nine of ten within ${duration(mergeTime.p90)}`;
  const [oldest] = open;
  const age = oldest === undefined ? "" : `, the oldest for ${duration(oldest.age)}`;
  return [
    `${repositories} ${repositories === 1 ? "repository" : "repositories"}, ${countText(projects, "project")}`,
    `${open.length} open${age}`,
    `${merged.length} merged${times}`,
    `${closed} closed`,
  ];
}

function reportText(report: UpdatesReport, { out }: Output): readonly string[] {
  const section = <Row>(
    title: string,
    columns: ReadonlyArray<Column<Row>>,
    rows: readonly Row[],
  ) =>
    rows.length === 0
      ? []
      : ["", title, ...table(columns, rows, { width: out.isTerminal ? out.columns : undefined })];
  return [
    ...facts(report),
    ...section("Open proposals", openColumns, report.open),
    ...section("Merged", mergedColumns, report.merged),
    ...section("Behind", behindColumns, report.behind),
  ];
}

export function reportHtml(report: UpdatesReport, now: number): string {
  const { open, merged, behind } = report;
  const section = <Row>(
    title: string,
    columns: ReadonlyArray<Column<Row>>,
    rows: readonly Row[],
  ): readonly Markup[] => {
    const shown = columns.map(({ title: name, cell, align }) => ({
      ...{ title: name[0] + name.slice(1).toLowerCase(), cell, isNumber: align === "right" },
    }));
    return rows.length === 0 ? [] : [reportTable(title, shown, rows)];
  };
  const oldestFirst = merged.toReversed();
  return reportPage(
    "Updates",
    [
      reportFacts(facts(report)),
      barChart({
        title: "Age of open proposals",
        label: "Age of each open proposal, oldest first; the table below has the numbers",
        bars: open.map(({ repository, number, age, security }) => ({
          parts: [{ role: security ? "fail" : "queued", value: age }],
          about: `${repository} #${number}: ${duration(age)}`,
        })),
        format: duration,
        from: "oldest",
        to: "newest",
      }),
      barChart({
        title: "Time to merge",
        label: "Time from opening to merge, oldest merge first; the table below has the numbers",
        bars: oldestFirst.map(({ repository, number, took }) => ({
          parts: [{ role: "ok", value: took }],
          about: `${repository} #${number}: ${duration(took)}`,
        })),
        format: duration,
        from: oldestFirst[0] === undefined ? "" : isoTime(oldestFirst[0].mergedAt),
        to: merged[0] === undefined ? "" : isoTime(merged[0].mergedAt),
      }),
      ...section("Open proposals", openColumns, open),
      ...section("Merged", mergedColumns, merged),
      ...section("Behind", behindColumns, behind),
    ],
    now,
  );
}
