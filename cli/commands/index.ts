/** All commands by their names, in the order of the help. A command is loaded when it is used. */
import type { CommandEntry } from "../plugin-api/command.js";
import { builtInPlugins, commandGroups } from "../program/plugins.js";

const configuration: readonly CommandEntry[] = [
  { name: "init", summary: "write a first configuration", load: () => import("./init.js") },
  {
    name: "check",
    summary: "check a configuration and run its tests",
    load: () => import("./check.js"),
  },
  { name: "fmt", summary: "format configuration files", load: () => import("./fmt.js") },
  { name: "fix", summary: "apply the fixes that check shows", load: () => import("./fix.js") },
  { name: "plan", summary: "show what an edit would change", load: () => import("./plan.js") },
  {
    name: "explain",
    summary: "explain a value, a block or an error code",
    load: () => import("./explain.js"),
  },
];

const daemon: readonly CommandEntry[] = [
  { name: "up", summary: "run the daemon in the foreground", load: () => import("./up.js") },
  { name: "top", summary: "open the live dashboard of the daemon", load: () => import("./top.js") },
  { name: "web", summary: "serve the dashboard to a browser", load: () => import("./web.js") },
  {
    name: "demo",
    summary: "open the dashboard on a demonstration daemon",
    load: () => import("./demo.js"),
  },
  { name: "status", summary: "show the state of the daemon", load: () => import("./status.js") },
  { name: "events", summary: "print events as they happen", load: () => import("./events.js") },
  {
    name: "runs",
    summary: "list runs, or show one with its output",
    load: () => import("./runs.js"),
  },
  {
    name: "reload",
    summary: "reload the configuration and show the result",
    load: () => import("./reload.js"),
  },
  { name: "history", summary: "list generations, or show one", load: () => import("./history.js") },
  {
    name: "rollback",
    summary: "return to an earlier generation",
    load: () => import("./rollback.js"),
  },
  {
    name: "plugin",
    summary: "list plugins, restart or release one, write a new one",
    entries: [
      {
        name: "list",
        summary: "list plugins and their state",
        load: () => import("./plugin/list.js"),
      },
      { name: "restart", summary: "restart a plugin", load: () => import("./plugin/restart.js") },
      {
        name: "release",
        summary: "release a plugin from quarantine",
        load: () => import("./plugin/release.js"),
      },
      {
        name: "new",
        summary: "write a package with a plugin and its tests",
        load: () => import("./plugin/new.js"),
      },
      {
        name: "check",
        summary: "run the conformance checks on a plugin",
        load: () => import("./plugin/check.js"),
      },
    ],
  },
  {
    name: "source",
    summary: "show, poll or pause the git repository of the configuration",
    entries: [
      {
        name: "status",
        summary: "show the repository, its commit and what is wrong",
        load: async () => ({ command: (await import("./source/commands.js")).status }),
      },
      {
        name: "poll",
        summary: "ask the repository now",
        load: async () => ({ command: (await import("./source/commands.js")).poll }),
      },
      {
        name: "retry",
        summary: "judge a refused commit again",
        load: async () => ({ command: (await import("./source/commands.js")).retry }),
      },
      {
        name: "pause",
        summary: "stop polls and keep changes by hand for a while",
        load: async () => ({ command: (await import("./source/commands.js")).pause }),
      },
      {
        name: "resume",
        summary: "end a pause",
        load: async () => ({ command: (await import("./source/commands.js")).resume }),
      },
      {
        name: "accept",
        summary: "accept the newest commit of a rewritten branch",
        load: async () => ({ command: (await import("./source/commands.js")).accept }),
      },
    ],
  },
  { name: "panels", summary: "show the panels of plugins", load: () => import("./panels.js") },
  {
    name: "state",
    summary: "back up, restore or repair the state directory",
    entries: [
      {
        name: "backup",
        summary: "copy the state directory, with or without a running daemon",
        load: () => import("./state/backup.js"),
      },
      {
        name: "restore",
        summary: "make a backup the state directory",
        load: () => import("./state/restore.js"),
      },
      {
        name: "repair",
        summary: "list what is missing after damage, and accept the loss",
        load: () => import("./state/repair.js"),
      },
    ],
  },
  {
    name: "upgrade",
    summary: "say what this version would migrate",
    load: () => import("./upgrade.js"),
  },
  {
    name: "service",
    summary: "run Reeve as a systemd service",
    entries: [
      {
        name: "install",
        summary: "write a unit for this program, enable and start it",
        load: () => import("./service/install.js"),
      },
      {
        name: "status",
        summary: "show the unit and whether it runs",
        load: () => import("./service/status.js"),
      },
      {
        name: "uninstall",
        summary: "stop the service and remove its unit",
        load: () => import("./service/uninstall.js"),
      },
    ],
  },
  { name: "doctor", summary: "check this host's requirements", load: () => import("./doctor.js") },
];

const tools: readonly CommandEntry[] = [
  {
    name: "schema",
    summary: "export the schema of configurations",
    entries: [
      {
        name: "export",
        summary: "print a JSON Schema, reference page or descriptors",
        load: () => import("./schema/export.js"),
      },
    ],
  },
  {
    name: "convert",
    summary: "convert a file to JSON, or back",
    load: () => import("./convert.js"),
  },
  {
    name: "lsp",
    summary: "run the language server for editors",
    load: () => import("./lsp.js"),
  },
  {
    name: "completion",
    summary: "print a completion script for a shell",
    load: () => import("./completion.js"),
  },
];

const under = (heading: string, entries: readonly CommandEntry[]): readonly CommandEntry[] => [
  ...entries.map((entry) => ({ ...entry, heading })),
  ...builtInPlugins.filter((plugin) => plugin.heading === heading).flatMap(commandGroups),
];

export const commands: readonly CommandEntry[] = [
  ...under("Configuration", configuration),
  ...under("The daemon", daemon),
  ...under("Tools", tools),
];

/** With the commands of declared plugins where the words may mean one of them. */
export async function commandsFor(words: readonly string[]): Promise<readonly CommandEntry[]> {
  const [first = "help", second] = words[0] === "help" ? words.slice(1) : words;
  const isKnown = commands.some(({ name }) => name === first);
  if (isKnown && (first !== "completion" || second === undefined)) return commands;
  const { declaredPlugins } = await import("../program/declared-plugins.js");
  const groups = (await declaredPlugins()).flatMap(commandGroups);
  const isFree = ({ name }: CommandEntry) => !commands.some((own) => own.name === name);
  return [...commands, ...groups.filter(isFree)];
}
