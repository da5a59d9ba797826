/** What built-in plugins bring to the command line, by plugin id: empty here, the bundler fills it. */
import type { BuiltInCliManifest, PluginCli } from "../plugin-api/define.js";

export interface BundledCli {
  readonly manifest: BuiltInCliManifest;
  load(): Promise<{ readonly default: PluginCli }>;
}

export const bundled: Readonly<Record<string, BundledCli>> = {};
