/** Requests from the catalog to a third-party plugin's code. */
import type { PluginFindings, PluginReport, ValidationOptions } from "../../config/program.js";
import type { PluginDescription } from "../../plugin-api/descriptor.js";

export type DescribeMethods = {
  /** Imports the module at the URL. */
  describe(module: string): DescribeResult;
  /** Blocks encoded by `config/values/wire.ts`. */
  validate(blocks: readonly unknown[]): readonly PluginReport[];
  inspect(all: {
    readonly blocks: readonly unknown[];
    readonly options: ValidationOptions;
  }): PluginFindings;
  /** Arguments and result encoded alike. */
  call(call: { readonly name: string; readonly args: readonly unknown[] }): unknown;
};

export type DescribeResult =
  | { readonly kind: "described"; readonly description: PluginDescription }
  /** The plugin uses another version of the contract, so its description is unknown. */
  | { readonly kind: "other_api"; readonly id: string; readonly api: number }
  | { readonly kind: "no_plugin"; readonly why: string };
