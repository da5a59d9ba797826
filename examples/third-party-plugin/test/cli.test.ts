import assert from "node:assert/strict";
import { test } from "node:test";
import { plainTheme, type View } from "reeve/cli";
import cli, { screen, sites } from "../src/cli.js";
import type { SiteList } from "../src/instance.js";

const report = { site: "shop", state: "down", ratio: 0.5, took: 12, at: 1, reason: "503" } as const;
const list: SiteList = { sites: [report] };

test("the module has what package.json lists", async () => {
  assert.deepEqual(Object.keys(cli.commands ?? {}), ["sites"]);
  assert.deepEqual(
    (await cli.screens?.())?.map(({ id }) => id),
    ["sites"],
  );
});

test("the command prints the control route as it is, with --json", async () => {
  const printed: unknown[] = [];
  const call = {
    options: { json: true },
    control: { get: async () => list },
    output: { json: (value: unknown) => printed.push(value) },
  };
  const code = await sites.run(call as unknown as Parameters<typeof sites.run>[0]);
  assert.deepEqual([code, printed], [0, [list]]);
});

test("the screen lists the sites", () => {
  const state = { filter: "", reverse: false, index: 0, tab: 0, scroll: 0 };
  const view = { data: list, state, theme: plainTheme, width: 60, height: 10 } as View<SiteList>;
  const { heading = "", rows } = screen.list(view).lay(0, 10, 60);
  assert.match(heading, /^SITE +STATE +UP +TOOK +REASON$/);
  assert.match(rows[0] ?? "", /^shop +down +50 % +12ms +503$/);
});
