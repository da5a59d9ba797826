/** `testPlugin`: a plugin, alive in a test. */
import { ReeveError } from "../errors.js";
import type { Isolation } from "../plugin-api/descriptor.js";
import type { BlockSchemas, PluginDefinition } from "../plugin-api/plugin.js";
import type { FakeClock } from "../services/fake-clock.js";
import { catalogOf, findPlugin, type PluginModule } from "./one-plugin.js";
import { PluginUnderTest } from "./plugin-under-test.js";
import { startTestServices } from "./test-services.js";

export interface TestPluginOptions {
  /** The text of the configuration. */
  readonly config: string;
  /** Files beside it, by relative path. */
  readonly files?: Readonly<Record<string, string>>;
  /** What the plugin's kinds and functions are written under. @default nothing: bare kinds, functions under its id */
  readonly namespace?: string;
  /** Outside `inline` the plugin is given as a module. @default "inline" */
  readonly isolation?: Isolation;
  /** The plugin's time, and the daemon's around it; inline only. @default the real time */
  readonly clock?: FakeClock;
  /** Where `secret("env:…")` looks. @default nothing there */
  readonly environment?: Readonly<Record<string, string>>;
}

/**
 * Runs a plugin as a daemon would: the real pipeline, host, store, listeners and files, in a temporary folder. Call
 * `stop` at the end of the test; nothing is left then.
 * @throws ReeveError `configuration_refused` with the rendered diagnostics when `config` is refused
 * @throws ReeveError `isolation_unsupported` when the plugin says that it cannot run there
 * @throws TypeError when the module is not a plugin
 */
export async function testPlugin<Blocks extends BlockSchemas>(
  plugin: PluginModule<Blocks>,
  options: TestPluginOptions,
): Promise<PluginUnderTest> {
  const { config, files = {}, environment = {}, namespace, isolation = "inline", clock } = options;
  if (clock && isolation !== "inline") {
    const message = `A fake clock works inline only, not in the isolation "${isolation}".`;
    throw new ReeveError("clock_not_shared", message);
  }
  const found = await findPlugin(plugin as PluginModule);
  refuseUnsupported(found.definition, isolation);
  const catalog = catalogOf(found, { namespace, isolation });
  const services = await startTestServices({ catalog, files, environment, clock });
  const tested = new PluginUnderTest(found.definition.id, services, clock);
  try {
    const { committed, reason, text } = await tested.reload(config);
    if (committed) return tested;
    const details = text === "" ? (reason ?? "") : `\n\n${text}`;
    throw new ReeveError("configuration_refused", `The configuration was refused: ${details}`);
  } catch (thrown) {
    await tested.stop(AbortSignal.abort());
    throw thrown;
  }
}

function refuseUnsupported({ id, isolation: support }: PluginDefinition, wanted: Isolation): void {
  if (!support || support.supports.includes(wanted)) return;
  const list = support.supports.join(", ");
  throw new ReeveError(
    "isolation_unsupported",
    `The plugin "${id}" does not support the isolation "${wanted}", only: ${list}.`,
    { help: "Test it where it can run; the conformance suite takes a list, `isolations`." },
  );
}
