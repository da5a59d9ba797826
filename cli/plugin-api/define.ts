/** What a plugin adds to the command line, and what is known of it without running its code. */
import type { Command } from "./command.js";
import type { Screen } from "./screen.js";

/** The default export of a plugin's command-line module. */
export interface PluginCli {
  /** By name, as the manifest lists them. A function loads the command when it is used. */
  readonly commands?: PluginCommands;
  /** The commands of the manifest's further groups. */
  readonly groups?: Readonly<Record<string, PluginCommands>>;
  /** Dashboard screens, as the manifest lists them. */
  readonly screens?: () => Promise<readonly Screen[]>;
}

export type PluginCommands = Readonly<
  Record<string, Command | (() => Promise<{ readonly command: Command }>)>
>;

export const defineCli = (cli: PluginCli): PluginCli => cli;

/**
 * Lists commands and screens, so that help and completion run no code of the plugin.
 * A package has it in its package.json as `reeve.cli`, with the path of its module.
 */
export interface CliManifest {
  /** The id of the plugin, where it is declared under another name. */
  readonly id?: string;
  /** One line: what the commands are about. */
  readonly summary: string;
  /** Summaries by name: imperative verb and object. */
  readonly commands?: Readonly<Record<string, string>>;
  /** Ids of its dashboard screens. */
  readonly screens?: readonly string[];
}

/** A built-in plugin names the group of its commands itself; those of a declared plugin stand under its bound name. */
export interface BuiltInCliManifest extends CliManifest {
  readonly name: string;
  readonly heading: "The daemon" | "Tools";
  /** Further groups of commands, by name. */
  readonly groups?: Readonly<Record<string, Pick<CliManifest, "summary" | "commands">>>;
}
