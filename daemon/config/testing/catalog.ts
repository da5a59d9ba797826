/** A catalog over the plugins of the tests: what the host does with real ones, in a few lines. */
import { createDiagnostic } from "../diagnose.js";
import type { BoundPlugin, PluginCatalog, PluginDeclaration, PluginReport } from "../program.js";
import { ConfiguredBlock } from "../values/block.js";
import { hostMatches } from "../values/host-pattern.js";
import { acme, builtIn, faulty } from "./plugins.js";

export const catalog: PluginCatalog = {
  async bind(declarations) {
    if (declarations.some(({ name }) => name === "unloadable")) {
      throw new Error("the disk is gone");
    }
    const known = declarations.filter(({ name }) => Object.hasOwn(thirdParty, name));
    const unknown = declarations.filter(({ name }) => !Object.hasOwn(thirdParty, name));
    return {
      plugins: [...builtInPlugins, ...known.flatMap(({ name }) => thirdParty[name] ?? [])],
      diagnostics: unknown.map(notInstalled),
      undeclared: new Map([["mailer.mail", "mailer"]]),
    };
  },
};

const notInstalled = ({ name, source, location }: PluginDeclaration) =>
  createDiagnostic("E112", location, `the plugin \`${name}\` is not installed`, {
    help: `install it: npm install ${source.replace(/^npm:/, "")}`,
  });

const builtInPlugins: readonly BoundPlugin[] = builtIn.map((description) => ({
  description,
  namespace: undefined,
  validate: async () => [],
  call: async (_name, [block, host]) => isAllowed(block as ConfiguredBlock, host as string),
}));

/** A predicate of a plugin, as the firewall will have one. */
function isAllowed({ values }: ConfiguredBlock, host: string): boolean {
  const covers = (patterns: unknown): boolean =>
    (patterns as readonly string[]).some((pattern) => hostMatches(host, pattern));
  return covers(values.allow) && !covers(values.block);
}

const thirdParty: Readonly<Record<string, BoundPlugin>> = {
  acme: {
    description: acme,
    namespace: "acme",
    async validate(blocks) {
      return blocks.flatMap((block): readonly PluginReport[] => {
        const { values, range, rangeOf } = viewOf(block);
        if (values.room === "#crash") throw new Error("the room is on fire");
        if (String(values.room).startsWith("#")) return [];
        const message = "a room begins with `#`";
        const report = { severity: "error", code: "room", help: undefined } as const;
        return [{ ...report, message, range: rangeOf("room") ?? range }];
      });
    },
    async call(name, [argument]) {
      if (name === "pause") return Number(argument) * 1000;
      if (argument === "") throw new Error("there is no such user");
      return String(argument)
        .split(" ")
        .map((word) => word.charAt(0))
        .join("");
    },
  },
  faulty: {
    description: faulty,
    namespace: "faulty",
    validate: async () => [],
    call: async () => null,
  },
};

function viewOf(block: ConstructorParameters<typeof ConfiguredBlock>[0]) {
  const view = new ConfiguredBlock(block);
  return { values: view.values, range: view.range, rangeOf: view.rangeOf.bind(view) };
}
