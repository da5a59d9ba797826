/** Hooks keep what every plugin promises. */
import test from "ava";
import { conformanceChecks, type PluginUnderTest } from "reeve/testing";

const CONFIG = `
  hook_server "main" { listen = "127.0.0.1:0" }
  hook "deploy" {
    run = ["printf", "deployed %s", payload.ref]
    response { include_output = true }
  }
  hook "guarded" {
    run = ["sh", "-c", "echo the token is $TOKEN"]
    env = { TOKEN = secret("env:TOKEN") }
    verify "token" { header = "X-Token"; secret = secret("env:TOKEN") }
    response { wait = true }
  }
  hook "long" { run = ["sleep", "60"] }
`;

async function observe(plugin: PluginUnderTest): Promise<unknown> {
  const payload = { ref: "main" };
  const answers = [
    await plugin.inject({ url: "/hooks/deploy", payload }),
    await plugin.inject({ url: "/hooks/deploy", payload: {} }),
    await plugin.inject({ url: "/hooks/guarded", payload }),
    await plugin.inject({
      ...{ url: "/hooks/guarded", payload, headers: { "x-token": "correct horse" } },
    }),
    await plugin.inject({ url: "/hooks/nothing", payload }),
  ];
  const runs = await plugin.runs({ limit: 2 });
  return [
    answers.map(({ status }) => status),
    answers[0]?.body,
    runs.map(({ subject, state, output }) => [subject, state, output.text]),
  ];
}

const checks = conformanceChecks(new URL("plugin.js", import.meta.url), {
  config: CONFIG,
  edited: CONFIG.replace("deployed %s", "rolled out %s"),
  // Of two servers, none is the default: a hook has to say which it means.
  refused: `${CONFIG}\nhook_server "second" { listen = "127.0.0.1:0"; prefix = "second" }`,
  environment: { TOKEN: "correct horse" },
  secrets: ["correct horse"],
  observe,
  keeps: async (plugin) => {
    const [panel] = await plugin.panels();
    return panel?.kind === "table" ? panel.rows.find(({ hook }) => hook === "guarded") : undefined;
  },
  work: async (plugin) => {
    await plugin.inject({ url: "/hooks/long", method: "POST" });
  },
});

for (const { title, run } of checks) {
  test(title, async (t) => {
    t.timeout(120_000);
    await t.notThrowsAsync(run());
  });
}
