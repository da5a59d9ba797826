/** Locates a declared plugin, checks its version and describes it outside the main thread. */
import { dirname } from "node:path";
import semver from "semver";
import type { Diagnostic } from "../../grammar/diagnostic.js";
import { createDiagnostic } from "../config/diagnose.js";
import type { BoundPlugin, PluginDeclaration, ProgramBlock } from "../config/program.js";
import { ConfiguredBlock } from "../config/values/block.js";
import { decodeValue, encodeValue } from "../config/values/wire.js";
import type { Isolation, PluginDescription } from "../plugin-api/descriptor.js";
import { PLUGIN_API } from "../plugin-api/plugin.js";
import { addPluginCode, faultMessage } from "../plugin-fault.js";
import { asDefinition } from "./describe.js";
import { importPlugin } from "./import-plugin.js";
import { type LocatedModule, locate } from "./locate.js";
import { type Deadlines, PluginRunner } from "./runner/plugin-runner.js";
import type { PluginSource } from "./source.js";

export interface LoadedPlugin {
  readonly bound: BoundPlugin;
  readonly source: PluginSource;
  close(): Promise<void>;
}

export type LocatedPlugin =
  | { readonly kind: "found"; readonly module: LocatedModule }
  | { readonly kind: "refused"; readonly diagnostic: Diagnostic };

const locationOf = (declaration: PluginDeclaration, attribute: string) =>
  declaration.ranges.get(attribute) ?? declaration.location;

/** The module of a declaration, if a matching version is installed. */
export async function find(declaration: PluginDeclaration, root: string): Promise<LocatedPlugin> {
  const { name, source, version } = declaration;
  const located = await locate(source, dirname(root));
  if (located.kind === "not_installed") return refused(notInstalled(declaration));
  if (located.kind === "unusable") return refused(cannotLoad(declaration, located.why));
  if (version === undefined) return located;
  const location = locationOf(declaration, "version");
  if (semver.validRange(version) === null) {
    const message = `\`${version}\` is not a range of versions`;
    return refused(
      createDiagnostic("E608", location, message, { help: "write it like npm does: `^2.1`" }),
    );
  }
  const installed = located.module.version;
  if (installed !== undefined && semver.satisfies(installed, version)) return located;
  const has = installed === undefined ? "has no version" : `is version ${installed}`;
  const help = source.startsWith("npm:")
    ? `install it: npm install ${source.slice(4)}@${version}`
    : undefined;
  const message = `the plugin \`${name}\` ${has}, not \`${version}\``;
  return refused(createDiagnostic("E602", location, message, { help }));
}

/** Imports the module in a worker or process and reads its description. */
export async function loadPlugin(
  declaration: PluginDeclaration,
  module: LocatedModule,
  deadlines: Deadlines,
): Promise<LoadedPlugin | { readonly kind: "refused"; readonly diagnostic: Diagnostic }> {
  const { name } = declaration;
  const code = [module.code];
  addPluginCode(module.url);
  const runner = new PluginRunner({
    name,
    module: module.url,
    code,
    // An isolated plugin must not run in this process for its description either.
    isolation: declaration.isolation === "process" ? "process" : "worker",
    deadlines,
  });
  const give = async (diagnostic: Diagnostic) => {
    await runner.close();
    return refused(diagnostic);
  };
  try {
    const described = await runner.describe();
    if (described.kind === "other_api") return await give(otherApi(declaration, described.api));
    if (described.kind === "no_plugin") return await give(noPlugin(declaration, described.why));
    const { description } = described;
    // Only the configuration lets foreign code run in the daemon's own thread.
    const preferred = description.isolation.default;
    const isolation = declaration.isolation ?? (preferred === "inline" ? "worker" : preferred);
    if (!description.isolation.supports.includes(isolation)) {
      return await give(unsupported(declaration, isolation, description));
    }
    const version = description.version ?? module.version;
    return {
      bound: bind(runner, description, name),
      source: {
        description,
        namespace: name,
        version,
        isolation,
        code,
        fingerprint: `${module.fingerprint} ${isolation}`,
        module: module.url,
        // A module is imported once a process by its URL: other code needs another one.
        definition: async () =>
          asDefinition(await importPlugin(`${module.url}?code=${module.fingerprint}`)),
      },
      close: () => runner.close(),
    };
  } catch (thrown) {
    return await give(cannotLoad(declaration, faultMessage(thrown)));
  }
}

function bind(
  runner: PluginRunner,
  description: PluginDescription,
  namespace: string,
): BoundPlugin {
  return {
    description,
    namespace,
    validate: (blocks) => runner.validate(encoded(blocks)),
    ...(description.validates && {
      inspect: (blocks, options) => runner.inspect(encoded(blocks), options),
    }),
    call: async (name, args) => decodeValue(await runner.call(name, args.map(encodeValue))),
  };
}

const encoded = (blocks: readonly ProgramBlock[]) =>
  blocks.map((block) => encodeValue(new ConfiguredBlock(block)));

const refused = (diagnostic: Diagnostic) => ({ kind: "refused", diagnostic }) as const;

function notInstalled(declaration: PluginDeclaration): Diagnostic {
  const { name, source } = declaration;
  const isPackage = source.startsWith("npm:");
  const wanted = isPackage ? source.slice(4) : source;
  return createDiagnostic(
    "E601",
    locationOf(declaration, "source"),
    isPackage ? `the plugin \`${name}\` is not installed` : `there is no plugin at \`${wanted}\``,
    {
      help: isPackage
        ? `install it beside the configuration: npm install ${wanted}`
        : "a path leads to a module, or to a directory with a `package.json`",
    },
  );
}

function cannotLoad(declaration: PluginDeclaration, why: string): Diagnostic {
  const message = `the plugin \`${declaration.name}\` cannot be loaded: ${why}`;
  return createDiagnostic("E603", locationOf(declaration, "source"), message);
}

function otherApi(declaration: PluginDeclaration, api: number): Diagnostic {
  const older = api < PLUGIN_API ? "plugin" : "daemon";
  return createDiagnostic(
    "E604",
    locationOf(declaration, "source"),
    `the plugin \`${declaration.name}\` is written for version ${api} of the plugin contract, and this daemon has version ${PLUGIN_API}`,
    { help: `update the ${older}` },
  );
}

function noPlugin(declaration: PluginDeclaration, why: string): Diagnostic {
  const message = `\`${declaration.source}\` is not a plugin: ${why}`;
  return createDiagnostic("E605", locationOf(declaration, "source"), message);
}

function unsupported(
  declaration: PluginDeclaration,
  isolation: Isolation,
  { isolation: { supports } }: PluginDescription,
): Diagnostic {
  return createDiagnostic(
    "E607",
    locationOf(declaration, "isolation"),
    `the plugin \`${declaration.name}\` does not support the isolation \`${isolation}\``,
    { help: `it supports ${supports.map((each) => `\`${each}\``).join(", ")}` },
  );
}
