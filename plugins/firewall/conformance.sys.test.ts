/** Runs the conformance tests of all plugins. */
import test from "ava";
import { conformanceChecks, type PluginUnderTest } from "reeve/testing";
import { eventually } from "../../tests/support/eventually.js";
import { runIn } from "./testing/fixture.js";

const CONFIG = `
  sandbox "build" {
    allow = ["registry.example.org", "*.example.com"]
    block = ["ads.example.com"]
    env = { STAGE = "one" }
  }
  sandbox "guarded" { env = { TOKEN = secret("env:TOKEN") } }
`;

async function decisions(plugin: PluginUnderTest, subject: string): Promise<unknown> {
  const answer = await plugin.control({
    url: `/v1/firewall/sandboxes/build/explain?subject=${subject}`,
  });
  return answer.json();
}

async function observe(plugin: PluginUnderTest): Promise<unknown> {
  const plain = await runIn(plugin, "build", { argv: ["echo stage $STAGE; exit 3"] });
  const guarded = await runIn(plugin, "guarded", { argv: ["echo the token is $TOKEN"] });
  return [
    plain.stdout,
    plain.ended.outcome,
    guarded.ended.outcome,
    await decisions(plugin, "a.example.com"),
    await decisions(plugin, "ads.example.com"),
    (await plugin.control({ url: "/v1/firewall/sandboxes/none/stats" })).status,
  ];
}

const checks = conformanceChecks(new URL("plugin.js", import.meta.url), {
  config: CONFIG,
  edited: CONFIG.replace('"one"', '"two"'),
  refused: CONFIG.replace("*.example.com", "*.com"),
  environment: { TOKEN: "correct horse" },
  secrets: ["correct horse"],
  observe,
  keeps: async (plugin) =>
    (await plugin.control({ url: "/v1/firewall/sandboxes/guarded/stats" })).json(),
  work: async (plugin) => {
    void runIn(plugin, "build", { argv: ["sleep 60"] });
    const started = () => plugin.events.filter(({ type }) => type === "sandbox.started");
    const before = started().length;
    await eventually("the command to run", () => started().length > before, { every: 20 });
  },
  isolations: ["inline"],
});

for (const { title, run } of checks) {
  test(title, async (t) => {
    t.timeout(120_000);
    await t.notThrowsAsync(run());
  });
}
