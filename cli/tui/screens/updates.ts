/** Dependency updates: what is looked after and when, jobs with their log, pull requests with what they wait for. */

import type { Model } from "../model/model.js";
import type { UpdateJob, UpdatePull } from "../model/updates.js";
import { type ScreenList, tableList } from "../view/list.js";
import { panelScreen } from "./panel-screen.js";
import type { Screen, View } from "./screen.js";
import { jobColumns, jobDetail } from "./update-jobs.js";
import { projectColumns, projectDetail, projectsOf } from "./update-projects.js";
import { pullColumns, pullDetail } from "./update-pulls.js";

const NOW = 0;
const PROJECTS = 1;
const JOBS = 2;

const panels = panelScreen({
  id: "updates",
  title: "Updates",
  short: "Upd",
  about: "dependency updates: repositories, jobs with their log, pull requests, schedules",
  plugin: "updates",
  how: "Add an `updates` block to look after dependencies.",
});

const NO_JOBS: readonly UpdateJob[] = [];
const NO_PULLS: readonly UpdatePull[] = [];
const jobsOf = ({ updates }: Model): readonly UpdateJob[] => updates?.jobs ?? NO_JOBS;
const pullsOf = ({ updates }: Model): readonly UpdatePull[] => updates?.pulls ?? NO_PULLS;

/** Of the list that is shown. */
function closeUp(view: View, id: string): readonly string[] {
  const { model, state } = view;
  const gone = [view.theme.paint("dim", "This is not kept any more.")];
  if (state.tab === PROJECTS) {
    const project = projectsOf(model.updates).find((each) => each.id === id);
    return project ? projectDetail(project, view) : gone;
  }
  if (state.tab === JOBS) {
    const job = jobsOf(model).find((each) => String(each.id) === id);
    return job ? jobDetail(job, view) : gone;
  }
  const pull = pullsOf(model).find((each) => String(each.id) === id);
  return pull ? pullDetail(pull, view) : gone;
}

export const updates: Screen = {
  ...panels,
  tabs: ["Now", "Repositories", "Jobs", "Pull requests"],
  listTitle: ({ state }) => ["Updates", "Repositories", "Jobs", "Pull requests"][state.tab] ?? "",
  list: (view) => (view.state.tab === NOW ? panels.list(view) : listOf(view)),
  empty: (view) => {
    if (view.state.tab === NOW || view.model.updates === undefined) return panels.empty(view);
    if (view.state.tab === PROJECTS)
      return "No repository yet: `reeve updates repos --add ACCOUNT/NAME`.";
    return view.state.tab === JOBS ? "Nothing has been looked for yet." : "No pull request yet.";
  },
  enter: (view, id) => (view.state.tab === NOW ? panels.enter?.(view, id) : undefined),
  preview: closeUp,
  detail: closeUp,
};

function listOf({ model, theme, state }: View): ScreenList {
  const { now } = model;
  if (state.tab === PROJECTS) {
    const rows = projectsOf(model.updates);
    const text = ({ id, schedule, problem: trouble }: (typeof rows)[number]) =>
      `${id} ${schedule} ${trouble}`;
    const columns = projectColumns(theme, now);
    return tableList({ rows, columns, id: ({ id }) => id, text, theme }, state);
  }
  if (state.tab === JOBS) {
    const text = ({ id, repo, trigger, state: is, reason }: UpdateJob) =>
      [id, repo, trigger, is, reason].join(" ");
    const columns = jobColumns(theme, now);
    return tableList({ rows: jobsOf(model), columns, id: idOf, text, theme }, state);
  }
  const text = ({ repo, number, title, state: is, automerge }: UpdatePull) =>
    [repo, number, title, is, automerge].join(" ");
  const columns = pullColumns(theme, now);
  return tableList({ rows: pullsOf(model), columns, id: idOf, text, theme }, state);
}

const idOf = ({ id }: { readonly id: number }): string => String(id);
