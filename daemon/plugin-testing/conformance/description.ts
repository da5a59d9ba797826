/** A plugin tells what it is without being started, in data that crosses any border. */
import assert from "node:assert/strict";
import { describe } from "../../catalog/describe.js";
import { PLUGIN_API } from "../../plugin-api/plugin.js";
import { findPlugin } from "../one-plugin.js";
import type { Trial } from "./trial.js";

export async function describesItself({ module }: Trial): Promise<void> {
  const { definition } = await findPlugin(module);
  const { api, permissions, isolation, title, doc, version } = definition;
  assert.equal(api, PLUGIN_API, `It is written for version ${api} of the plugin contract.`);
  for (const [name, value] of Object.entries({ permissions, isolation, title, doc, version })) {
    if (value === undefined) continue;
    const crossed: unknown = JSON.parse(JSON.stringify(value));
    assert.deepEqual(crossed, value, `Its \`${name}\` is not plain data.`);
  }
  const description = describe(definition);
  assert.deepEqual(describe(definition), description, "It describes itself differently each time.");
  const { default: usual, supports } = description.isolation;
  assert.ok(supports.includes(usual), `It runs in "${usual}" by default and does not support it.`);
}
