import test from "ava";
import { startDaemon } from "../host/testing/daemon.js";
import { type Blocks, recorded } from "../host/testing/recorded.js";
import type { Configuration } from "../plugin-api/plugin.js";

test("secrets are resolved before they are given, and masked from then on", async (t) => {
  let seen: string | undefined;
  const { plugin } = recorded("notes", () => ({
    prepare: (next) => {
      seen = (
        next as Configuration<never> as unknown as { blocks: Blocks }
      ).blocks.note[0]?.values.token?.reveal();
      return { commit: () => undefined };
    },
  }));
  const daemon = await startDaemon(t, {
    builtins: [plugin],
    environment: { TOKEN: "abcdef-secret" },
    files: { token: "from a file\n" },
  });
  await daemon.apply('note "a" { token = secret("env:TOKEN") }');
  t.is(seen, "abcdef-secret");
  t.is(daemon.kit.mask.text("x abcdef-secret y"), "x (secret) y");
  await daemon.apply('note "a" { token = secret("file:token") }');
  t.is(seen, "from a file");
  const { complaints } = await daemon.apply('note "a" { token = secret("env:OTHER") }');
  t.deepEqual(complaints, [
    'E509 the secret "env:OTHER" cannot be read: the daemon\'s environment has no such variable',
  ]);
});

test("a plugin can keep the secrets of others, and is started for it", async (t) => {
  let seen: string | undefined;
  const { plugin } = recorded("notes", () => ({
    prepare: (next) => {
      seen = (
        next as Configuration<never> as unknown as { blocks: Blocks }
      ).blocks.note[0]?.values.token?.reveal();
      return { commit: () => undefined };
    },
  }));
  const vault = recorded("vault", () => ({
    resolveSecret: async (reference) => {
      if (reference === "none") throw new Error("the vault has no such entry");
      return `content of ${reference}`;
    },
  }));
  const daemon = await startDaemon(t, { builtins: [plugin, vault.plugin] });
  await daemon.apply('vault "v" {}\nnote "a" { token = secret("vault:door") }');
  t.is(seen, "content of door");
  const { complaints } = await daemon.apply(
    'vault "v" {}\nnote "a" { token = secret("vault:none") }',
  );
  t.deepEqual(complaints, [
    'E509 the secret "vault:none" cannot be read: the vault has no such entry',
  ]);
});

test("plugins offer each other services by name", async (t) => {
  const provider = recorded("notes", ({ services }) => {
    services.provide("counting", { count: async (text: string) => text.length });
    return {};
  });
  const answers: unknown[] = [];
  const user = recorded("other", ({ services }) => ({
    prepare: async () => {
      const counting = services.use<{ count(text: string): Promise<number> }>("counting");
      answers.push(await counting?.count("four"));
      return { commit: () => undefined };
    },
  }));
  const daemon = await startDaemon(t, { builtins: [provider.plugin, user.plugin] });
  await daemon.apply('note "a" {}');
  await daemon.apply('note "a" {}\nother "x" {}');
  await daemon.apply('other "x" { text = "alone" }');
  await daemon.apply('other "x" { text = "still alone" }');
  t.deepEqual(answers, [4, 4, undefined]);
});

test("panels and health come from every plugin that runs; who cannot answer hides nobody", async (t) => {
  const notes = recorded("notes", () => ({
    health: () => ({ state: "degraded", reason: "low on paper" }),
    panels: () => [
      { kind: "values", id: "p", title: "Paper", entries: [{ name: "left", value: 3 }] },
    ],
  }));
  const other = recorded("other", () => ({
    health: () => {
      throw new Error("no pulse");
    },
    panels: () => {
      throw new Error("no picture");
    },
  }));
  const daemon = await startDaemon(t, { builtins: [notes.plugin, other.plugin] });
  await daemon.apply('note "a" {}\nother "x" {}');
  t.deepEqual(
    [...(await daemon.host.health())],
    [
      ["notes", { state: "degraded", reason: "low on paper" }],
      ["other", { state: "failed", reason: "no pulse" }],
    ],
  );
  t.is(daemon.status("notes")?.state, "degraded");
  const panels = await daemon.host.panels();
  t.deepEqual(
    panels.map(({ plugin, panels: own }) => [plugin, own.length]),
    [
      ["notes", 1],
      ["other", 0],
    ],
  );
});
