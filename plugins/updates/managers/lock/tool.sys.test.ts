/** What a package manager's program sees of the network, and what is reported of one that hangs. */
import test from "ava";
import { workshop } from "../../testing/manager-fixture.js";
import { runTool } from "./tool.js";

const company = {
  NODE_EXTRA_CA_CERTS: "/etc/company.pem",
  SSL_CERT_FILE: "/etc/all.pem",
  HTTPS_PROXY: "http://proxy.example:3128",
};

test.serial(
  "certificates and the proxy of the daemon reach a tool, other variables do not",
  async (t) => {
    const before = { ...process.env };
    t.teardown(() => {
      process.env = before;
    });
    Object.assign(process.env, company, { COMPANY_SECRET: "secret" });
    await using tools = workshop();
    const environment = async (sandboxDirectory?: string) => {
      const given = { ...tools, ...(sandboxDirectory === undefined ? {} : { sandboxDirectory }) };
      const run = { argv: ["env"], directory: tools.scratch, env: {}, tools: given };
      const { stdout } = await runTool(run);
      return Object.fromEntries(
        stdout
          .trim()
          .split("\n")
          .map((line) => line.split(/=(.*)/s)),
      );
    };
    const seen = await environment();
    t.like(seen, {
      ...company,
      REQUESTS_CA_BUNDLE: "/etc/all.pem",
      GIT_SSL_CAINFO: "/etc/all.pem",
    });
    t.false("COMPANY_SECRET" in seen);
    const sandboxed = await environment(tools.scratch);
    t.false("HTTPS_PROXY" in sandboxed || "SSL_CERT_FILE" in sandboxed);
  },
);

test("a tool that hangs is named with its last lines, without credentials", async (t) => {
  await using tools = workshop();
  const bytes = (text: string) => new TextEncoder().encode(text);
  const hanging = {
    ...tools,
    run: async () => ({
      ...({
        outcome: "timed_out",
        exitCode: undefined,
        signal: "SIGTERM",
        error: undefined,
      } as const),
      stdout: bytes("one\ntwo\nthree\n"),
      stderr: bytes("get https://ada:pw@npm.example/x\n"),
      ...{ omitted: 0, duration: 120_000 },
    }),
  };
  const run = { argv: ["npm", "install", "x"], directory: tools.scratch, env: {}, tools: hanging };
  const thrown = await t.throwsAsync(runTool(run));
  t.is(
    thrown?.message,
    "npm install took longer than 120 s and was stopped; its last lines: two | three | get https://***@npm.example/x.",
  );
});
