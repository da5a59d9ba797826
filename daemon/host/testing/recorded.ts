/** A plugin that writes down its life, for the tests of the host. */
import { c } from "../../plugin-api/block.js";
import type { PluginContext } from "../../plugin-api/context.js";
import {
  type Configuration,
  definePlugin,
  type PluginDefinition,
  type PluginInstance,
} from "../../plugin-api/plugin.js";
import type { Secret } from "../../plugin-api/values.js";

export interface Recorded {
  readonly plugin: PluginDefinition;
  /** What happened, in order. */
  readonly calls: string[];
}

export type Blocks = {
  readonly note: ReadonlyArray<{ readonly key: string; readonly values: NoteValues }>;
};
export interface NoteValues {
  readonly text: string;
  readonly token?: Secret;
}

const textsOf = (configuration: Configuration | undefined): string =>
  configuration === undefined
    ? "nothing"
    : (configuration.blocks as unknown as Blocks).note.map(({ values }) => values.text).join(",");

/** A plugin that writes down its life; `change` replaces parts of its instance. */
export function recorded(
  id = "notes",
  change: (context: PluginContext, calls: string[]) => Partial<PluginInstance> = () => ({}),
): Recorded {
  const calls: string[] = [];
  const say = (what: string) => void calls.push(what);
  const plugin = definePlugin({
    id,
    title: id,
    api: 1,
    isolation: { default: "inline", supports: ["inline"] },
    blocks: {
      [id === "notes" ? "note" : id]: c.block({
        label: c.name(),
        attrs: {
          text: c.string().default('""'),
          token: c.secret().optional(),
          about: c.ref("note").optional(),
        },
      }),
    },
    setup: (context) => {
      say("setup");
      return {
        prepare: (next, previous, attempt) => {
          const texts = id === "notes" ? textsOf(next as Configuration) : next.generation;
          const before = id === "notes" ? textsOf(previous as Configuration | undefined) : "";
          say(`prepare ${before} -> ${texts} (${[...attempt.changes.values()].join(",")})`);
          return {
            commit: () => say(`commit ${texts}`),
            abort: () => say(`abort ${texts}`),
            release: () => say(`release ${texts}`),
          };
        },
        stop: (reason) => say(`stop ${reason}`),
        ...change(context, calls),
      };
    },
  });
  return { plugin: plugin as unknown as PluginDefinition, calls };
}
