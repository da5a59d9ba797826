// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { conformanceChecks, testPlugin } from "reeve/testing";
import options from "./conformance.js";

const module = new URL("plugin.js", import.meta.url);

test("a message is sent and counted", async () => {
  const plugin = await testPlugin(module, { config: options.config });
  try {
    const { body } = await plugin.inject({ url: "/starter/world" });
    assert.equal(body, "Hello, world!");
    assert.match(await plugin.metrics(), /reeve_starter_messages_total\{message="world"\} 1/);
  } finally {
    await plugin.stop();
  }
});

test("an invalid edit is refused, and the previous configuration stays in force", async () => {
  const plugin = await testPlugin(module, { config: options.config });
  try {
    const refused = await plugin.reload('message "world" { text = 7 }');
    assert.equal(refused.committed, false);
    assert.match(refused.text, /main\.reeve:1/);
    const { body } = await plugin.inject({ url: "/starter/moon" });
    assert.equal(body, "Good night.");
  } finally {
    await plugin.stop();
  }
});

for (const { title, run } of conformanceChecks(module, options)) test(title, run);
