/** Runs the firewall plugin in a test, and commands in its sandboxes like `reeve sandbox run`. */
import type { ExecutionContext } from "ava";
import { type PluginUnderTest, testPlugin } from "reeve/testing";
import type { RunEvent, RunOrder } from "../daemon/api.js";
import { RunFrameReader } from "../daemon/frames.js";

export interface RunResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly ended: Extract<RunEvent, { event: "ended" }>;
}

const pluginUrl = new URL("../plugin.js", import.meta.url);

export async function startFirewall(
  t: ExecutionContext,
  config: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<PluginUnderTest> {
  const plugin = await testPlugin(pluginUrl, { config, environment });
  t.teardown(() => plugin.stop());
  return plugin;
}

/** Runs a command without input. */
export async function runIn(
  plugin: PluginUnderTest,
  name: string,
  order: RunOrder,
): Promise<RunResult> {
  const words = {
    ...order,
    argv: order.argv.length === 1 ? [`exec </dev/null; ${order.argv[0]}`] : order.argv,
  };
  const { body, status } = await plugin.control({
    url: `/v1/firewall/sandboxes/${name}/runs`,
    payload: words,
  });
  if (status >= 400) throw new Error(body);
  const output = { stdout: "", stderr: "" };
  let ended: RunResult["ended"] | undefined;
  for (const { kind, data } of new RunFrameReader().push(Buffer.from(body))) {
    const text = data.toString("utf8");
    if (kind !== "event") output[kind] += text;
    else {
      const event = JSON.parse(text) as RunEvent;
      if (event.event === "ended") ended = event;
    }
  }
  if (!ended) throw new Error(`a run without an end: ${body}`);
  return { ...output, ended };
}
