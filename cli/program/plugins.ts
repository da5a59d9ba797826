/** Commands and screens that plugins bring. Manifests are read at once, modules when they are used. */
import type { Command, CommandGroup } from "../plugin-api/command.js";
import type {
  BuiltInCliManifest,
  CliManifest,
  PluginCli,
  PluginCommands,
} from "../plugin-api/define.js";
import { Exit, Failure } from "../plugin-api/exit.js";
import type { Screen } from "../plugin-api/screen.js";
import { bundled } from "./bundled.js";

export interface CliPlugin {
  /** Its control routes are below `/v1/<id>`. */
  readonly id: string;
  /** The group of its commands. */
  readonly name: string;
  readonly heading: string;
  readonly manifest: CliManifest;
  readonly isDeclared: boolean;
  load(): Promise<PluginCli>;
}

/** Folders of `plugins/`, in the order of their screens. */
const BUILT_IN = ["hooks", "updates", "firewall", "settings"];

export const builtInPlugins: readonly CliPlugin[] = await Promise.all(BUILT_IN.map(builtIn));

async function builtIn(id: string): Promise<CliPlugin> {
  const folder = new URL(`../../plugins/${id}/cli/`, import.meta.url).href;
  const { manifest } =
    bundled[id] ??
    ((await import(`${folder}manifest.js`)) as { readonly manifest: BuiltInCliManifest });
  const { name, heading } = manifest;
  const load = async (): Promise<PluginCli> => {
    const module = await (bundled[id]?.load() ?? import(`${folder}index.js`));
    return (module as { readonly default: PluginCli }).default;
  };
  return { id, name, heading, manifest, isDeclared: false, load };
}

export function commandGroups(plugin: CliPlugin): readonly CommandGroup[] {
  const { id, heading, manifest, isDeclared, load } = plugin;
  const { groups = {} } = manifest as BuiltInCliManifest;
  return [[plugin.name, manifest] as const, ...Object.entries(groups)].map(
    ([name, { summary, commands = {} }]) => {
      const listed = async () => {
        const cli = await load();
        return name in groups ? cli.groups?.[name] : cli.commands;
      };
      const entries = Object.entries(commands).map(([command, about]) => ({
        ...{ name: command, summary: about, plugin: id, isDeclared },
        load: async () => ({
          command: await commandOf(await listed(), `${name} ${command}`, command),
        }),
      }));
      return { name, summary, heading, entries };
    },
  );
}

async function commandOf(
  commands: PluginCommands | undefined,
  words: string,
  name: string,
): Promise<Command> {
  const command = commands?.[name];
  if (command === undefined) {
    throw new Failure(Exit.unavailable, `the plugin lists \`${words}\`, and does not define it`);
  }
  return typeof command === "function" ? (await command()).command : command;
}

/** The screens that a plugin lists; its code is loaded only where it lists any. */
export async function screensOf(plugin: CliPlugin): Promise<readonly Screen[]> {
  const { id, name, isDeclared, load } = plugin;
  const { screens: listed = [] } = plugin.manifest;
  if (listed.length === 0) return [];
  const screens = (await (await load()).screens?.()) ?? [];
  return (
    screens
      .filter((screen) => listed.includes(screen.id))
      // Two declarations may bring the same screen.
      .map((screen) => ({
        ...screen,
        id: isDeclared ? `${name}.${screen.id}` : screen.id,
        plugin: id,
      }))
  );
}
