/** The quickstart is sound, and what its page says to send is what its hook accepts. */
import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import test from "ava";
import { createCatalog } from "../../daemon/catalog/catalog.js";
import { load } from "../../daemon/config/load.js";
import { resolveSecrets } from "../../daemon/config/secrets.js";
import { ConfiguredBlock } from "../../daemon/config/values/block.js";
import { render } from "../../grammar/render.js";
import type { HookBlock } from "../../plugins/hooks/blocks/blocks.js";
import { decide } from "../../plugins/hooks/decide/decide.js";
import { request } from "./request.js";

const directory = new URL("../../../examples/quickstart/", import.meta.url).pathname;
const text = (name: string): string => readFileSync(`${directory}${name}`, "utf8");
const payload = text("payloads/github-push.json");
/** The first command of the page that has a signature. */
const line = /^curl .*x-hub-signature-256.*$/im.exec(text("README.md"))?.[0] ?? "";
const signature = /X-Hub-Signature-256: (\S+?)'/.exec(line)?.[1] ?? "";

async function github(): Promise<HookBlock> {
  const catalog = createCatalog();
  try {
    const { program, diagnostics, sources } = await load(`${directory}main.reeve`, { catalog });
    if (!program) throw new Error(render(diagnostics, sources));
    const resolved = await resolveSecrets(program, async (reference) =>
      readFileSync(reference.replace(/^file:/, ""), "utf8"),
    );
    const block = resolved.program?.blocks.get("hook.github");
    if (!block) throw new Error(render(resolved.diagnostics, sources));
    return new ConfiguredBlock(block) as unknown as HookBlock;
  } finally {
    await catalog.close();
  }
}

test("the configuration has no faults, and its own tests hold", async (t) => {
  const catalog = createCatalog();
  const { diagnostics, sources, tests } = await load(`${directory}main.reeve`, { catalog });
  await catalog.close();
  t.is(diagnostics.length, 0, render(diagnostics, sources));
  t.true(tests.length > 0 && tests.every(({ failures }) => failures.length === 0));
});

test("the signature on the page is the payload's", (t) => {
  const hmac = createHmac("sha256", text("demo-secret.txt")).update(payload).digest("hex");
  t.is(signature, `sha256=${hmac}`);
});

test("the payload has what a push event has", (t) => {
  const push = JSON.parse(payload);
  t.is(push.after, push.head_commit.id);
  t.is(push.repository.full_name, `${push.repository.owner.login}/${push.repository.name}`);
  t.regex(push.before, /^[0-9a-f]{40}$/);
});

test("the request on the page runs the command; one byte less does not", async (t) => {
  const hook = await github();
  const headers = {
    "content-type": "application/json",
    "x-github-event": "push",
    "x-hub-signature-256": signature,
  };
  for (const header of Object.keys(headers))
    t.regex(line.toLowerCase(), new RegExp(`'${header}: `));
  const decision = decide(request({ body: payload, headers }), hook);
  if (decision.kind !== "run") return t.fail(decision.refusal.detail);
  t.deepEqual(decision.command.argv, [
    "echo",
    "ada pushed Water the tomatoes in the morning to example/garden:",
    "this is where 4f2b8c1de07a95b3c6d1480f9ae25b7d3c90e6a1 would be deployed",
  ]);
  const less = decide(request({ body: payload.slice(0, -1), headers }), hook);
  t.is(less.kind === "refuse" && less.refusal.status, 401);
});
