/** Every command by its name. A command is loaded only when it is used. */
import type { Entry } from "./command.js";
import { hook } from "./commands-hook.js";
import { online } from "./commands-online.js";
import { sandbox } from "./commands-sandbox.js";
import { settings } from "./commands-settings.js";
import { updates } from "./commands-updates.js";

const configuration: readonly Entry[] = [
  {
    name: "init",
    summary: "write a first configuration",
    load: () => import("./commands/init.js"),
  },
  {
    name: "check",
    summary: "say what is wrong with a configuration, and run its tests",
    load: () => import("./commands/check.js"),
  },
  {
    name: "fmt",
    summary: "lay files out in the one way there is",
    load: () => import("./commands/fmt.js"),
  },
  {
    name: "fix",
    summary: "apply the repairs that check shows",
    load: () => import("./commands/fix.js"),
  },
  {
    name: "plan",
    summary: "say what an edit would change",
    load: () => import("./commands/plan.js"),
  },
  {
    name: "explain",
    summary: "say where a value comes from, or what a block or a code is",
    load: () => import("./commands/explain.js"),
  },
];

const tools: readonly Entry[] = [
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
        load: () => import("./commands/schema/export.js"),
      },
    ],
  },
  {
    name: "convert",
    summary: "turn a file into its JSON form, or back",
    load: () => import("./commands/convert.js"),
  },
  {
    name: "completion",
    summary: "print a script that completes commands in a shell",
    load: () => import("./commands/completion.js"),
  },
];

const under = (heading: string, entries: readonly Entry[]): readonly Entry[] =>
  entries.map((entry) => ({ ...entry, heading }));

export const commands: readonly Entry[] = [
  ...under("Configuration", configuration),
  ...under("The daemon", [...online, hook]),
  ...under("Tools", tools),
];
