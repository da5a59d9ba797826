/** What every plugin promises, in all three isolations. */
import test from "ava";
import { conformanceChecks, type PluginUnderTest } from "reeve/testing";
import type { SettingsSnapshot } from "./effective/api.js";

const CONFIG = `
settings "zls" {
  watch = ["./zls.json"]
  override = { warn_style = true }
}
settings "other" {
  schema = "zls"
  watch = ["./other.json"]
}
`;

const checks = conformanceChecks(new URL("./plugin.js", import.meta.url), {
  config: CONFIG,
  edited: CONFIG.replace("warn_style = true", "warn_style = false, force_autofix = true"),
  refused: CONFIG.replace("warn_style = true", 'warn_style = "yes"'),
  observe: async (plugin: PluginUnderTest) => {
    const { settings } = (await plugin.control({ url: "/v1/settings" })).json() as {
      readonly settings: readonly SettingsSnapshot[];
    };
    return settings.map(({ name, settings: all }) => [
      name,
      all.filter(({ origin }) => origin !== "default").map(({ key, value }) => [key, value]),
    ]);
  },
});

for (const { title, run } of checks) {
  test(title, async (t) => {
    t.timeout(120_000);
    await t.notThrowsAsync(run());
  });
}
