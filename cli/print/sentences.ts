/** Events as sentences: one template for each type of event that the daemon and its plugins emit. */
import type { DaemonEvent } from "../../daemon/http/control/api.js";
import { stateWord } from "./layout.js";
import { oneLine } from "./text.js";
import { countText, duration } from "./units.js";

type EventData = DaemonEvent["data"];

/** `object` comes first: what the event is about. */
export interface EventSentence {
  /** Decides the sign and its role; empty: nothing to note. */
  readonly state: string;
  readonly object: string;
  readonly text: string;
}

type Template = (data: EventData) => readonly [state: string, object: unknown, text: string];

const words = (value: unknown): string =>
  value === undefined || value === null
    ? ""
    : oneLine(typeof value === "string" ? value : JSON.stringify(value));
const withoutStop = (value: unknown): string => words(value).replace(/\.$/, "");
const after = (sign: string, value: unknown): string =>
  withoutStop(value) === "" ? "" : `${sign}${withoutStop(value)}`;
const number = (value: unknown): number => (typeof value === "number" ? value : 0);
const took = (value: unknown): string =>
  typeof value === "number" ? ` in ${duration(value)}` : "";
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** How a command ended: an exit code of 0 says nothing that the state does not say. */
const ended = ({ state, exitCode, reason }: EventData, time: unknown): string => {
  const exit = exitCode ? `, exit ${words(exitCode)}` : "";
  return `${stateWord(words(state))}${took(time)}${exit || after(": ", reason)}`;
};

const runTemplates = (kind: string): Readonly<Record<string, Template>> => ({
  [`${kind}.triggered`]: (data) => [
    "queued",
    data[kind],
    `was triggered by ${words(data.trigger)}`,
  ],
  [`${kind}.resumed`]: (data) => ["running", data[kind], "runs again after an interruption"],
  [`${kind}.finished`]: (data) => [
    words(data.state),
    data[kind],
    `${ended(data, data.duration)}${after(", triggered by ", data.trigger)}`,
  ],
});

const summary = (data: EventData): string => {
  const counts = ["added", "updated", "replaced", "removed", "unchanged"]
    .filter((name) => number(data[name]) > 0)
    .map((name) => `${number(data[name])} ${name}`);
  return counts.length === 0 ? "" : `: ${counts.join(", ")}`;
};

const generationOf = ({ generation }: EventData): string => `generation ${words(generation)}`;
const pullOf = ({ repo, number: pull }: EventData): string => `${words(repo)} #${words(pull)}`;

const TEMPLATES: Readonly<Record<string, Template>> = {
  ...{ ...runTemplates("hook"), ...runTemplates("schedule") },
  ...{ ...runTemplates("watch"), ...runTemplates("task") },
  "watch.loop": ({ watch, path }) => [
    "warning",
    watch,
    `runs once a minute: its command changes ${words(path)}`,
  ],
  "hook.rejected": ({ hook, status, reason, detail, trigger }) => [
    "denied",
    hook,
    `refused ${words(trigger) || "a request"} with ${words(status)}${after(": ", detail ?? reason)}`,
  ],
  "hook.rejected_more": ({ hook, count }) => [
    "denied",
    hook,
    `refused ${countText(number(count), "more request")}`,
  ],
  "schedule.missed": ({ schedule, count }) => [
    "warning",
    schedule,
    `missed ${countText(number(count), "time")}`,
  ],
  "schedule.skipped": ({ schedule }) => ["skipped", schedule, "skipped one run: the last one runs"],
  "hooks_file.loaded": ({ file, hooks }) => [
    "ok",
    file,
    `was read: ${countText(number(hooks), "hook")}`,
  ],
  "hooks_file.rejected": ({ file, reason }) => [
    "failed",
    file,
    `cannot be used${after(": ", reason)}`,
  ],
  "run.started": ({ subject, state }) => [words(state), subject, `starts a run: ${words(state)}`],
  "run.queued": ({ subject }) => ["queued", subject, "waits for its turn"],
  "run.running": ({ subject }) => ["running", subject, "runs"],
  "run.resumed": ({ subject }) => ["running", subject, "runs again after an interruption"],
  "run.finished": (data) => [words(data.state), data.subject, ended(data, undefined)],
  "sandbox.started": ({ sandbox, label }) => [
    "running",
    sandbox,
    `started a command${after(" of ", label)}`,
  ],
  "sandbox.finished": ({ sandbox, label, outcome, exitCode, error, milliseconds, ...data }) => [
    exitCode === 0 ? "succeeded" : words(outcome),
    sandbox,
    `ended a command${after(" of ", label)}${took(milliseconds)}${exitCode ? `, exit ${words(exitCode)}` : ""}: ` +
      `${number(data.allowed)} allowed, ${number(data.denied)} denied${after(", ", error)}`,
  ],
  "sandbox.allowed": ({ sandbox, program, domain }) => [
    "allowed",
    sandbox,
    `allowed ${words(domain)}${after(" to ", program)}`,
  ],
  "sandbox.denied": ({ sandbox, program, domain, reason }) => [
    "denied",
    sandbox,
    `denied ${words(domain)}${after(" to ", program)}${after(": ", reason)}`,
  ],
  "sandbox.asked": ({ sandbox, program, domain }) => [
    "waiting",
    sandbox,
    `asks whether to allow ${words(domain)}${after(" to ", program)}`,
  ],
  "sandbox.answered": ({ sandbox, domain, answer }) => [
    answer === "deny" || answer === "expired" || answer === "abandoned" ? "denied" : "allowed",
    sandbox,
    `got the answer about ${words(domain)}: ${words(answer)}`,
  ],
  "sandbox.changed_file": ({ file, command }) => [
    "warning",
    words(file),
    `was changed while a sandboxed command ran${after(": ", command)}`,
  ],
  "plugin.started": ({ plugin, isolation }) => [
    "ok",
    plugin,
    `started${after(", isolation ", isolation)}`,
  ],
  "plugin.stopped": ({ plugin, reason }) => ["", plugin, `stopped${after(": ", reason)}`],
  "plugin.failed": ({ plugin, reason }) => ["failed", plugin, `failed${after(": ", reason)}`],
  "plugin.quarantined": ({ plugin, reason }) => [
    "quarantined",
    plugin,
    `is quarantined${after(": ", reason)}`,
  ],
  "plugin.released": ({ plugin }) => ["ok", plugin, "was released from quarantine"],
  "config.reloaded": (data) => [
    data.reason === undefined ? "changed" : "warning",
    generationOf(data),
    `runs${after(", by ", data.trigger)}${summary(data)}${after("; ", data.reason)}`,
  ],
  "config.unchanged": (data) => ["", generationOf(data), "runs on: nothing changed"],
  "config.rejected": (data) => [
    "failed",
    generationOf(data),
    `was refused${after(": ", list(data.errors)[0] ?? data.reason)}`,
  ],
  "config.confirmed": (data) => ["ok", generationOf(data), "is healthy"],
  "config.rolled_back": (data) => [
    "rolled_back",
    generationOf(data),
    `was taken back, generation ${words(data.restored)} runs again${after(": ", data.reason)}`,
  ],
  "config.unhealthy": (data) => [
    "failed",
    generationOf(data),
    `is unhealthy${after(": ", data.reason)}`,
  ],
  "update.run": ({ repo, state, reason }) => [
    words(state),
    repo,
    `was checked for updates: ${stateWord(words(state))}${after(", ", reason)}`,
  ],
  "update.opened": (data) => ["changed", pullOf(data), `was opened${after(": ", data.title)}`],
  "update.merged": (data) => ["merged", pullOf(data), `was merged${after(": ", data.title)}`],
  "update.closed": (data) => [
    "cancelled",
    pullOf(data),
    `was closed${after(": ", stateWord(words(data.reason)))}`,
  ],
  "update.pushed": ({ repo }) => ["changed", repo, "has new commits"],
  "update.notified": ({ name, version, configs }) => [
    "changed",
    `${words(name)} ${words(version)}`.trim(),
    `was released and concerns ${countText(number(configs), "project")}`,
  ],
  "update.unseen": ({ name, version }) => [
    "warning",
    `${words(name)} ${words(version)}`.trim(),
    "was announced, but the registry does not show it",
  ],
  "update.config_file_faults": ({ repo, path, faults }) => [
    "warning",
    repo,
    `has faults in ${words(path)}${after(": ", list(faults)[0])}`,
  ],
  "settings.changed": ({ name, version, changed }) => {
    const keys = list(changed).map((each) =>
      words((each as { readonly key?: unknown } | null)?.key),
    );
    return ["changed", name, `has version ${words(version)}${after(": ", keys.join(", "))}`];
  },
  "settings.rejected": ({ name, path, state }) => [
    "failed",
    name,
    `cannot use ${words(path)}: ${stateWord(words(state))}`,
  ],
  "condition.raised": ({ code, reason, subject }) => [
    "warning",
    subject ?? code,
    `needs attention${after(": ", reason)}`,
  ],
  "condition.cleared": ({ code, reason, subject }) => [
    "ok",
    subject ?? code,
    `is well again${after(", after: ", reason)}`,
  ],
  "source.applied": ({ commit }) => ["ok", `commit ${words(commit).slice(0, 12)}`, "was applied"],
  "source.refused": ({ commit, reason }) => [
    "failed",
    `commit ${words(commit).slice(0, 12)}`,
    `was refused${after(": ", reason)}`,
  ],
  "source.restored": ({ path }) => [
    "warning",
    path,
    "was changed by hand and is as in its commit again",
  ],
  "store.away": ({ reason }) => ["failed", "store", `cannot be reached${after(": ", reason)}`],
  "store.back": () => ["ok", "store", "can be reached again"],
  "control.restored": ({ control }) => [
    "ok",
    "control socket",
    `was made again${after(": ", control)}`,
  ],
  "daemon.started": ({ version, ...data }) => [
    "running",
    "reeve",
    `${words(version)} started with ${generationOf(data)}`,
  ],
  "daemon.stopping": () => ["stopping", "reeve", "stops"],
};

/** Absent for a type that only a third party knows. */
export function eventSentence({
  type,
  data,
}: Pick<DaemonEvent, "type" | "data">): EventSentence | undefined {
  if (!Object.hasOwn(TEMPLATES, type)) return undefined;
  const [state, object, text] = TEMPLATES[type]?.(data) ?? ["", "", ""];
  return { state, object: words(object), text: oneLine(text) };
}
