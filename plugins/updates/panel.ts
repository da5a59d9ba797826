/** The dashboard panels of updates. */
import type { Panel } from "reeve/plugin";
import type { Ports } from "./pipeline/ports.js";

const shown = 100;

export async function updatesPanels(
  ports: Pick<Ports, "pulls" | "queueSizes" | "repos" | "runs" | "url">,
): Promise<readonly Panel[]> {
  const { repos, pulls, runs } = ports;
  const [all, open, last, { waiting, running }] = await Promise.all([
    repos.all(),
    pulls.list({ limit: shown }),
    runs.list({ limit: shown }),
    ports.queueSizes(),
  ]);
  const names = new Map(all.map((repo) => [repo.id, `${repo.login}/${repo.name}`]));
  return [
    {
      kind: "values",
      id: "updates",
      title: "Updates",
      entries: [
        { name: "address", value: ports.url },
        { name: "repositories", value: all.length, format: "number" },
        { name: "runs waiting", value: waiting, format: "number" },
        { name: "runs under way", value: running, format: "number" },
      ],
    },
    {
      kind: "table",
      id: "pull-requests",
      title: "Pull requests",
      columns: [
        { id: "repo", title: "Repository" },
        { id: "number", title: "#", format: "number" },
        { id: "title", title: "Title" },
        { id: "state", title: "State", format: "state" },
        { id: "automerge", title: "Merge", priority: 1 },
        { id: "updated", title: "Updated", format: "time", priority: 1 },
      ],
      rows: open.map((pull) => ({
        repo: names.get(pull.repo_id) ?? "",
        number: pull.number,
        title: pull.title,
        state: pull.state,
        automerge: pull.automerge_reason ?? pull.automerge,
        updated: pull.updated_at,
      })),
    },
    {
      kind: "table",
      id: "runs",
      title: "Runs",
      columns: [
        { id: "repo", title: "Repository" },
        { id: "trigger", title: "Trigger" },
        { id: "state", title: "State", format: "state" },
        { id: "started", title: "Started", format: "time" },
        { id: "took", title: "Took", format: "duration", priority: 1 },
        { id: "reason", title: "Reason", priority: 2 },
      ],
      rows: last.map((run) => ({
        repo: names.get(run.repo_id) ?? "",
        trigger: run.trigger,
        state: run.state,
        started: run.started_at,
        took: run.finished_at === null ? null : run.finished_at - run.started_at,
        reason: run.reason,
      })),
    },
  ];
}
