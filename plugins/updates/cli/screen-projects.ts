/** What updates look after: every project of every repository, with when it is looked at next. */
import {
  LEAST,
  type ListColumn,
  oneLine,
  pairs,
  relative,
  stateText,
  stateWord,
  type Theme,
  type View,
  when,
} from "reeve/cli";
import type { UpdateConfig, UpdatesView } from "./screen-data.js";
import { timestampOf } from "./screen-jobs.js";

export interface UpdateProject {
  readonly id: string;
  readonly repo: string;
  /** Absent: nothing says yet what to look after in this repository. */
  readonly config?: UpdateConfig;
  readonly open: number;
  readonly schedule: string;
  readonly problem: string;
}

const known = new WeakMap<UpdatesView, readonly UpdateProject[]>();
const NONE: readonly UpdateProject[] = [];

export function projectsOf(view: UpdatesView | undefined): readonly UpdateProject[] {
  if (view === undefined) return NONE;
  let projects = known.get(view);
  if (projects === undefined) {
    projects = view.repos.flatMap(({ name: repo }): readonly UpdateProject[] => {
      const own = view.configs.filter((config) => config.repo === repo);
      const open = view.pulls.filter((pull) => pull.repo === repo && pull.state === "open").length;
      if (own.length === 0) {
        const problem = "Nothing is configured: `reeve updates configs --help`.";
        return [{ id: repo, repo, open, schedule: "", problem }];
      }
      return own.map((config) => ({
        ...{ id: `${repo} ${config.id}`, repo, config, open },
        schedule: config["update-schedule"],
        problem: config.trouble ?? "",
      }));
    });
    known.set(view, projects);
  }
  return projects;
}

/** By schedule; what is updated live does not wait for one. */
const nextText = ({ config }: UpdateProject, now: number): string => {
  if (config === undefined) return "";
  const at = timestampOf(config["next-run-at"]);
  if (at !== undefined) return relative(at, now);
  return config["update-schedule"] === "live" ? "at a release" : "never";
};

export function projectColumns(
  theme: Theme,
  now: number,
): ReadonlyArray<ListColumn<UpdateProject>> {
  const next = ({ config }: UpdateProject) => timestampOf(config?.["next-run-at"] ?? null);
  const last = ({ config }: UpdateProject) => timestampOf(config?.["last-run-at"] ?? null);
  return [
    { title: "REPOSITORY", cell: ({ repo }) => repo, shrink: 12 },
    { title: "MANAGER", cell: ({ config }) => config?.["package-manager"] ?? "" },
    { title: "DIRECTORY", cell: ({ config }) => config?.directory ?? "", shrink: 6, priority: 3 },
    { title: "SCHEDULE", cell: ({ schedule }) => schedule, priority: 2 },
    { title: "NEXT", cell: (project) => nextText(project, now), value: next, least: 12 },
    {
      title: "LAST",
      cell: (project) => {
        const at = last(project);
        return at === undefined ? "" : relative(at, now);
      },
      value: (project) => -(last(project) ?? 0),
      least: LEAST.when,
      priority: 4,
    },
    {
      title: "OPEN",
      cell: ({ open }) => String(open),
      value: ({ open }) => -open,
      align: "right",
      priority: 1,
    },
    {
      title: "TROUBLE",
      cell: ({ problem }) => problem,
      paint: (text) => theme.paint("warn", text),
      shrink: 16,
      priority: 1,
    },
  ];
}

/** With its jobs and its open pull requests. */
export function projectDetail(
  project: UpdateProject,
  { model, data, theme }: View<UpdatesView | undefined>,
): readonly string[] {
  const { now } = model;
  const { repo, config, problem, schedule } = project;
  const dim = (text: string) => theme.paint("dim", text);
  const bold = (text: string) => theme.paint("bold", text);
  const pulls = data?.pulls.filter((each) => each.repo === repo && each.state === "open") ?? [];
  const jobs = data?.jobs.filter((each) => each.config === config?.id) ?? [];
  const last = timestampOf(config?.["last-run-at"] ?? null);
  return [
    bold(`${oneLine(repo)} ${oneLine(config?.directory ?? "")}`.trimEnd()),
    "",
    ...pairs(
      [
        ["trouble", problem && theme.paint("warn", oneLine(problem))],
        ["manager", config && oneLine(config["package-manager"])],
        ["schedule", schedule],
        ["next", nextText(project, now)],
        ["last", last === undefined ? undefined : when(last, now)],
      ],
      dim,
    ),
    "",
    bold("Open pull requests"),
    ...(pulls.length === 0 ? [dim("  none")] : []),
    ...pulls.map(({ number, title }) => `  #${number} ${oneLine(title)}`),
    "",
    bold("Jobs"),
    ...(jobs.length === 0 ? [dim("  none yet")] : []),
    ...jobs.map(
      (job) =>
        `  ${dim(relative(Date.parse(job["started-at"]), now).padEnd(LEAST.when))} ${stateText(theme, job.state)}  ${oneLine(job.trigger)}${job.reason === null ? "" : dim(` ${stateWord(job.reason)}`)}`,
    ),
  ];
}
