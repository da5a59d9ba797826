/** What the catalog asks of the code of a plugin that is not its own. */
import type { PluginReport } from "../../config/program.js";
import type { PluginDescription } from "../../plugin-api/descriptor.js";

export type DescribeMethods = {
  /** Imports the module at the URL. */
  describe(module: string): DescribeResult;
  /** Blocks encoded by `config/values/wire.ts`. */
  validate(blocks: readonly unknown[]): readonly PluginReport[];
  /** Arguments and result encoded alike. */
  call(call: { readonly name: string; readonly args: readonly unknown[] }): unknown;
};

export type DescribeResult =
  | { readonly kind: "described"; readonly description: PluginDescription }
  /** Written for another version of the contract; nothing more is known about it. */
  | { readonly kind: "other_api"; readonly id: string; readonly api: number }
  | { readonly kind: "no_plugin"; readonly why: string };
