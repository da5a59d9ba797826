/** What every plugin of Reeve promises. */
import { after, test } from "node:test";
import { conformanceChecks, type PluginUnderTest } from "reeve/testing";
import { target } from "./target.js";

const site = await target();
after(() => site.close());

const config = `
  page { listen = "127.0.0.1:0" }
  site "shop" { url = "${site.url}/up"; every = 1h; token = secret("env:TOKEN") }
  site "mail" { url = "${site.url}/down"; every = 1h }
`;

const json = async (plugin: PluginUnderTest, label: string) =>
  (await plugin.inject({ url: `/uptime/${label}.json` })).json() as { state: string };

const checks = conformanceChecks(new URL("../src/plugin.js", import.meta.url), {
  config,
  edited: config.replace("/up", "/gone"),
  refused: config.replace(`${site.url}/up`, "ftp://shop"),
  environment: { TOKEN: "correct horse" },
  secrets: ["correct horse"],
  observe: async (plugin) => {
    const states: Record<string, string> = {};
    for (const label of ["shop", "mail"]) {
      await plugin.until(
        async () => (await json(plugin, label)).state !== "unknown",
        `an answer of ${label}`,
      );
      states[label] = (await json(plugin, label)).state;
    }
    return states;
  },
  keeps: (plugin) => json(plugin, "mail"),
  work: async (plugin) => {
    const before = site.seen.length;
    await plugin.reload(`site "slow" { url = "${site.url}/slow"; timeout = 10m }`);
    await plugin.until(() => site.seen.length > before, "a question that is not answered");
  },
});

for (const { title, run } of checks) test(title, run);
