/** The dashboard screen: repositories with schedules, jobs with logs, pull requests. */
import { panelScreen, type Screen, type ScreenList, tableList, type View } from "reeve/cli";
import { loadUpdates, type UpdateJob, type UpdatePull, type UpdatesView } from "./screen-data.js";
import { jobColumns, jobDetail } from "./screen-jobs.js";
import { projectColumns, projectDetail, projectsOf } from "./screen-projects.js";
import { pullColumns, pullDetail } from "./screen-pulls.js";

const NOW = 0;
const PROJECTS = 1;
const JOBS = 2;

const panels = panelScreen({
  id: "updates",
  title: "Updates",
  short: "Upd",
  about: "dependency updates: repositories, jobs with their log, pull requests, schedules",
  plugin: "updates",
  how: "Add an `updates` block to update dependencies.",
});

const NO_JOBS: readonly UpdateJob[] = [];
const NO_PULLS: readonly UpdatePull[] = [];
type UpdatesScreenView = View<UpdatesView | undefined>;
const jobsOf = ({ data }: UpdatesScreenView): readonly UpdateJob[] => data?.jobs ?? NO_JOBS;
const pullsOf = ({ data }: UpdatesScreenView): readonly UpdatePull[] => data?.pulls ?? NO_PULLS;

/** The row of the list that is shown. */
function rowDetail(view: UpdatesScreenView, id: string): readonly string[] {
  const { data, state } = view;
  const gone = [view.theme.paint("dim", "This record is gone.")];
  if (state.tab === PROJECTS) {
    const project = projectsOf(data).find((each) => each.id === id);
    return project ? projectDetail(project, view) : gone;
  }
  if (state.tab === JOBS) {
    const job = jobsOf(view).find((each) => String(each.id) === id);
    return job ? jobDetail(job, view) : gone;
  }
  const pull = pullsOf(view).find((each) => String(each.id) === id);
  return pull ? pullDetail(pull, view) : gone;
}

export const updates: Screen<UpdatesView | undefined> = {
  ...panels,
  load: loadUpdates,
  tabs: ["Now", "Repositories", "Jobs", "Pull requests"],
  listTitle: ({ state }) => ["Updates", "Repositories", "Jobs", "Pull requests"][state.tab] ?? "",
  list: (view) => (view.state.tab === NOW ? panels.list(view) : listOf(view)),
  empty: (view) => {
    if (view.state.tab === NOW || view.data === undefined) return panels.empty(view);
    if (view.state.tab === PROJECTS)
      return "No repository yet: `reeve updates repos --add ACCOUNT/NAME`.";
    return view.state.tab === JOBS ? "No job has run yet." : "No pull request yet.";
  },
  enter: (view, id) => (view.state.tab === NOW ? panels.enter?.(view, id) : undefined),
  preview: rowDetail,
  detail: rowDetail,
};

function listOf(view: UpdatesScreenView): ScreenList {
  const { model, data, theme, state } = view;
  const { now } = model;
  if (state.tab === PROJECTS) {
    const rows = projectsOf(data);
    const text = ({ id, schedule, problem: trouble }: (typeof rows)[number]) =>
      `${id} ${schedule} ${trouble}`;
    const columns = projectColumns(theme, now);
    return tableList({ rows, columns, id: ({ id }) => id, text, theme }, state);
  }
  if (state.tab === JOBS) {
    const text = ({ id, repo, trigger, state: is, reason }: UpdateJob) =>
      [id, repo, trigger, is, reason].join(" ");
    const columns = jobColumns(theme, now);
    return tableList(
      { rows: jobsOf(view), columns, id: idOf, name: ({ repo }) => repo, text, theme },
      state,
    );
  }
  const text = ({ repo, number, title, state: is, automerge }: UpdatePull) =>
    [repo, number, title, is, automerge].join(" ");
  const columns = pullColumns(theme, now);
  return tableList({ rows: pullsOf(view), columns, id: idOf, name: pullName, text, theme }, state);
}

const pullName = ({ repo, number, title }: UpdatePull): string => `${repo} #${number} ${title}`;
const idOf = ({ id }: { readonly id: number }): string => String(id);
