/** The commands that are about the running daemon. */
import type { CommandEntry } from "../plugin-api/command.js";

export const online: readonly CommandEntry[] = [
  {
    name: "up",
    summary: "run the daemon in the foreground",
    load: () => import("./up.js"),
  },
  {
    name: "top",
    summary: "watch the daemon: plugins, hooks, runs, configuration and events, live",
    load: () => import("./top.js"),
  },
  {
    name: "demo",
    summary: "watch a throwaway daemon that is busy, to see what Reeve does",
    load: () => import("./demo.js"),
  },
  {
    name: "status",
    summary: "show how the daemon is",
    load: () => import("./status.js"),
  },
  {
    name: "events",
    summary: "show what happens, as it happens",
    load: () => import("./events.js"),
  },
  {
    name: "runs",
    summary: "show what ran, and what it said",
    load: () => import("./runs.js"),
  },
  {
    name: "reload",
    summary: "read the configuration now, and say what became of it",
    load: () => import("./reload.js"),
  },
  {
    name: "history",
    summary: "show every attempt to change what runs",
    load: () => import("./history.js"),
  },
  {
    name: "rollback",
    summary: "run an earlier configuration again, until the next edit",
    load: () => import("./rollback.js"),
  },
  {
    name: "plugin",
    summary: "list plugins, start one afresh, release one from quarantine",
    entries: [
      {
        name: "list",
        summary: "list the plugins that run",
        load: () => import("./plugin/list.js"),
      },
      {
        name: "restart",
        summary: "start a plugin afresh",
        load: () => import("./plugin/restart.js"),
      },
      {
        name: "release",
        summary: "start a quarantined plugin again",
        load: () => import("./plugin/release.js"),
      },
    ],
  },
  {
    name: "panels",
    summary: "show what plugins tell about their work",
    load: () => import("./panels.js"),
  },
  {
    name: "doctor",
    summary: "look whether this host has what a daemon needs",
    load: () => import("./doctor.js"),
  },
];
