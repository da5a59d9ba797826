/** Runs in a worker or a process: imports one plugin's module, describes it, and answers its checks and functions. */
import { decodeValue, encodeValue } from "../../config/values/wire.js";
import { ReeveError } from "../../errors.js";
import { daemonPort } from "../../host/isolation/daemon-port.js";
import { Peer } from "../../host/isolation/peer.js";
import { PLUGIN_API, type PluginDefinition } from "../../plugin-api/plugin.js";
import type { Block } from "../../plugin-api/values.js";
import { faultMessage } from "../../plugin-fault.js";
import { callFunction, checkBlocks, inspectBlocks } from "../checks.js";
import { asDefinition, describe } from "../describe.js";
import { importPlugin } from "../import-plugin.js";
import type { DescribeMethods, DescribeResult } from "./methods.js";

let definition: PluginDefinition | undefined;

new Peer<Record<never, never>, DescribeMethods>(daemonPort(), {
  async describe(module): Promise<DescribeResult> {
    const exported = await importPlugin(module);
    try {
      const found = asDefinition(exported);
      if (found.api !== PLUGIN_API) return { kind: "other_api", id: found.id, api: found.api };
      const description = describe(found);
      definition = found;
      return { kind: "described", description };
    } catch (thrown) {
      return { kind: "no_plugin", why: faultMessage(thrown) };
    }
  },
  validate: (blocks) => checkBlocks(loaded(), blocks.map(decodeValue) as Block[]),
  inspect: ({ blocks, options }) =>
    inspectBlocks(loaded(), blocks.map(decodeValue) as Block[], options),
  call: async ({ name, args }) =>
    encodeValue(await callFunction(loaded(), name, args.map(decodeValue))),
});

function loaded(): PluginDefinition {
  if (definition) return definition;
  throw new ReeveError("not_described", "The plugin has not been described yet.");
}
