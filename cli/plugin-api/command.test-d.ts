/** The options of a command give its `run` their types. */
import { choice, count, defineCommand, flag, text, texts } from "./command.js";
import { Exit } from "./exit.js";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? A : never;
const is = <A>(_value: A): void => undefined;

defineCommand({
  options: {
    all: flag(""),
    mode: choice(["fast", "slow"], "", { fallback: "slow" }),
    kind: choice(["a", "b"], ""),
    name: text("NAME", ""),
    root: text("PATH", "", { fallback: "." }),
    limit: count("N", "", { fallback: 10 }),
    since: count("N", ""),
    tags: texts("TAG", ""),
  },
  examples: [{ command: "", does: "" }],
  async run({ options }) {
    is<Same<typeof options.all, boolean>>(options.all);
    is<Same<typeof options.mode, "fast" | "slow">>(options.mode);
    is<Same<typeof options.kind, "a" | "b" | undefined>>(options.kind);
    is<Same<typeof options.name, string | undefined>>(options.name);
    is<Same<typeof options.root, string>>(options.root);
    is<Same<typeof options.limit, number>>(options.limit);
    is<Same<typeof options.since, number | undefined>>(options.since);
    is<Same<typeof options.tags, readonly string[]>>(options.tags);
    // @ts-expect-error -- no such option
    options.nothing;
    return Exit.ok;
  },
});

// @ts-expect-error -- a fallback is one of the choices
choice(["a"], "", { fallback: "b" });
// @ts-expect-error -- a command has an example
defineCommand({ examples: [], run: async () => Exit.ok });
