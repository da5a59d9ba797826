/** The commands that are about the running daemon. */
import type { Entry } from "./command.js";

export const online: readonly Entry[] = [
  {
    name: "up",
    summary: "run the daemon in the foreground",
    load: () => import("./commands/up.js"),
  },
  {
    name: "top",
    summary: "watch the daemon: plugins, hooks, runs, configuration and events, live",
    load: () => import("./commands/top.js"),
  },
  {
    name: "status",
    summary: "show how the daemon is",
    load: () => import("./commands/status.js"),
  },
  {
    name: "events",
    summary: "show what happens, as it happens",
    load: () => import("./commands/events.js"),
  },
  {
    name: "runs",
    summary: "show what ran, and what it said",
    load: () => import("./commands/runs.js"),
  },
  {
    name: "reload",
    summary: "read the configuration now, and say what became of it",
    load: () => import("./commands/reload.js"),
  },
  {
    name: "history",
    summary: "show every attempt to change what runs",
    load: () => import("./commands/history.js"),
  },
  {
    name: "rollback",
    summary: "run an earlier configuration again, until the next edit",
    load: () => import("./commands/rollback.js"),
  },
  {
    name: "plugin",
    summary: "list plugins, start one afresh, release one from quarantine",
    entries: [
      {
        name: "list",
        summary: "list the plugins that run",
        load: () => import("./commands/plugin/list.js"),
      },
      {
        name: "restart",
        summary: "start a plugin afresh",
        load: () => import("./commands/plugin/restart.js"),
      },
      {
        name: "release",
        summary: "start a quarantined plugin again",
        load: () => import("./commands/plugin/release.js"),
      },
    ],
  },
  {
    name: "panels",
    summary: "show what plugins tell about their work",
    load: () => import("./commands/panels.js"),
  },
  {
    name: "doctor",
    summary: "look whether this host has what a daemon needs",
    load: () => import("./commands/doctor.js"),
  },
];
