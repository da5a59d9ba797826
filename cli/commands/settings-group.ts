/** The commands that are about the settings of language servers. */
import type { CommandEntry } from "../plugin-api/command.js";

export const settings: readonly CommandEntry[] = [
  {
    name: "show",
    summary: "show what is in force, and where it comes from",
    load: () => import("./settings/show.js"),
  },
  {
    name: "check",
    summary: "say everything that is wrong with settings files",
    load: () => import("./settings/check.js"),
  },
  {
    name: "diff",
    summary: "show what differs from the defaults, or has changed",
    load: () => import("./settings/diff.js"),
  },
  {
    name: "watch",
    summary: "show changes as they take effect",
    load: () => import("./settings/watch.js"),
  },
  {
    name: "explain",
    summary: "say what a setting means, what it is, and who set it",
    load: () => import("./settings/explain.js"),
  },
  {
    name: "schema",
    summary: "print the JSON Schema of a server's settings",
    load: () => import("./settings/schema.js"),
  },
  {
    name: "proxy",
    summary: "stand between an editor and a language server, and deliver settings while it runs",
    load: () => import("./settings/proxy.js"),
  },
  {
    name: "lsp",
    summary: "tell an editor what is wrong in settings files, and what may be written there",
    load: () => import("./settings/lsp.js"),
  },
];
