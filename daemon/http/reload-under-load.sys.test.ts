import { Agent } from "node:http";
import test from "ava";
import { run, site } from "../main/testing/daemon.js";
import { ask } from "./testing/client.js";

const hook = (version: number): string => `
hook_server "main" { listen = "127.0.0.1:0" }
hook "version" {
  methods = ["GET"]
  run = ["true"]
  response { status = 200; body = "version ${version}." }
}
`;

test("twenty edits under load lose no request, on new and on kept connections", async (t) => {
  t.timeout(120_000);
  const project = await site(t, hook(0));
  const daemon = await run(t, project);
  const [{ address = "" } = {}] = daemon.said.listeners as ReadonlyArray<{ address?: string }>;
  const kept = new Agent({ keepAlive: true });
  t.teardown(() => kept.destroy());
  const seen = new Map<string, number>();
  let isRunning = true;
  const clients = [kept, kept, undefined, undefined].map(async (agent) => {
    while (isRunning) {
      const { status, body } = await ask(address, "/hooks/version", agent ? { agent } : {});
      const answer = status === 429 ? "busy" : `${status} ${body}`;
      seen.set(answer, (seen.get(answer) ?? 0) + 1);
    }
  });
  for (let version = 1; version <= 20; version += 1) {
    await project.write(hook(version));
    t.is((await daemon.post("/v1/reload")).status, 200);
  }
  isRunning = false;
  await Promise.all(clients);
  const wrong = [...seen.keys()].filter((answer) => !/^200 version \d+\.$|^busy$/.test(answer));
  t.deepEqual(wrong, []);
  t.true(seen.size > 5, `${[...seen.keys()]}`);
});
