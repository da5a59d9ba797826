/** Every command by its name. A command is loaded only when it is used. */
import type { CommandEntry } from "../plugin-api/command.js";
import { hook } from "./hook-group.js";
import { online } from "./online.js";
import { sandbox } from "./sandbox-group.js";
import { settings } from "./settings-group.js";
import { updates } from "./updates-group.js";

const configuration: readonly CommandEntry[] = [
  {
    name: "init",
    summary: "write a first configuration",
    load: () => import("./init.js"),
  },
  {
    name: "check",
    summary: "say what is wrong with a configuration, and run its tests",
    load: () => import("./check.js"),
  },
  {
    name: "fmt",
    summary: "lay files out in the one way there is",
    load: () => import("./fmt.js"),
  },
  {
    name: "fix",
    summary: "apply the repairs that check shows",
    load: () => import("./fix.js"),
  },
  {
    name: "plan",
    summary: "say what an edit would change",
    load: () => import("./plan.js"),
  },
  {
    name: "explain",
    summary: "say where a value comes from, or what a block or a code is",
    load: () => import("./explain.js"),
  },
];

const tools: readonly CommandEntry[] = [
  {
    name: "updates",
    summary: "the dependencies of repositories: what is kept up to date, and what came of it",
    entries: updates,
  },
  {
    name: "sandbox",
    summary: "commands behind a fence: run one, list them, see what they reach",
    entries: sandbox,
  },
  {
    name: "settings",
    summary: "the settings of language servers: what is in force, what is wrong, and delivery",
    entries: settings,
  },
  {
    name: "schema",
    summary: "what configurations can say",
    entries: [
      {
        name: "export",
        summary: "print a JSON Schema, a reference page or descriptors",
        load: () => import("./schema/export.js"),
      },
    ],
  },
  {
    name: "convert",
    summary: "turn a file into its JSON form, or back",
    load: () => import("./convert.js"),
  },
  {
    name: "completion",
    summary: "print a script that completes commands in a shell",
    load: () => import("./completion.js"),
  },
];

const under = (heading: string, entries: readonly CommandEntry[]): readonly CommandEntry[] =>
  entries.map((entry) => ({ ...entry, heading }));

export const commands: readonly CommandEntry[] = [
  ...under("Configuration", configuration),
  ...under("The daemon", [...online, hook]),
  ...under("Tools", tools),
];
