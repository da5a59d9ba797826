/** What every plugin promises, in the isolations that updates support. */
import test from "ava";
import { conformanceChecks, type PluginUnderTest } from "reeve/testing";

const CONFIG = `
updates "main" {
  listen = "127.0.0.1:0"
  repositories = "./repositories"
  registry "npm_and_yarn" {
    url = "http://127.0.0.1:9"
    token = secret("env:REGISTRY_TOKEN")
  }
  account "acme" { update_run_time = "05:30" }
}
`;

async function observe(plugin: PluginUnderTest): Promise<unknown> {
  const accounts = await plugin.control({ url: "/v1/updates/accounts" });
  const known = (accounts.json() as { accounts: readonly { login: string }[] }).accounts;
  if (!known.some(({ login }) => login === "acme")) {
    await plugin.control({ url: "/v1/updates/accounts", payload: { login: "acme" } });
  }
  const token = (
    await plugin.control({ url: "/v1/updates/tokens", payload: { login: "acme" } })
  ).json() as { token: string };
  const answer = await plugin.inject({
    url: "/accounts",
    headers: { authorization: `Personal ${token.token}` },
  });
  const { data } = answer.json() as { data: readonly { attributes: Record<string, unknown> }[] };
  return data.map(({ attributes }) => [attributes["host-login"], attributes["update-run-time"]]);
}

const checks = conformanceChecks(new URL("./plugin.js", import.meta.url), {
  config: CONFIG,
  edited: CONFIG.replace("05:30", "06:45"),
  refused: `${CONFIG}\nupdates "second" { listen = "127.0.0.1:0" }`,
  environment: { REGISTRY_TOKEN: "correct horse" },
  secrets: ["correct horse"],
  observe,
  isolations: ["inline", "worker"],
});

for (const { title, run } of checks) {
  test(title, async (t) => {
    t.timeout(240_000);
    await t.notThrowsAsync(run());
  });
}
