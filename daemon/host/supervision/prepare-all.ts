/** Prepares a new instance for the committed configuration. */
import type { PluginSource } from "../../catalog/source.js";
import { ReeveError } from "../../errors.js";
import type { Instance, Preparation } from "../instance/instance.js";
import type { CommittedConfiguration, SupervisorDependencies } from "./dependencies.js";

/** @throws what the plugin throws, or what it reports. */
export async function prepareAll(
  dependencies: SupervisorDependencies,
  source: PluginSource,
  instance: Instance,
  running: CommittedConfiguration,
  signal: AbortSignal,
): Promise<Preparation> {
  const changes = new Map(running.blocks.map(({ key }) => [key, "added"] as const));
  const prepared = await dependencies.prepare(source, instance, { ...running, changes }, signal);
  const refusal = prepared.reports.find(({ severity }) => severity === "error");
  if (!refusal) return prepared;
  await prepared.abort();
  throw new ReeveError("refused", `It refuses the configuration that runs: ${refusal.message}.`);
}
