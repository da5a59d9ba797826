// The environment of a run: its directory, and what another program of the person may have put into a home and a temporary
// directory.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export function environment(run, tiers) {
  const config = join(run, "config");
  for (const [path, text] of Object.entries(foreign)) {
    mkdirSync(join(config, path, ".."), { recursive: true });
    writeFileSync(join(config, path), text);
  }
  return {
    ...process.env,
    REEVE_TEST_RUN: run,
    REEVE_TEST_TIERS: tiers.join(","),
    REEVE_TEST_LONG: tiers.includes("long") ? "1" : "0",
    // Programs of the person have their settings here; those of the tests must not read them.
    XDG_CONFIG_HOME: config,
  };
}

/** Settings that would change what programs do. */
const foreign = {
  "reeve/main.reeve": "this is no configuration {\n",
  "reeve/theme.json": "{",
  "reeve/themes/dark.json": "{",
  "awf/config.json": "{",
  "git/config":
    "[commit]\n\tgpgsign = true\n[init]\n\tdefaultBranch = unusual\n[user]\n\tname = Another\n\temail = another@example.test\n",
  "nvim/init.lua": 'error("the settings of another program")\n',
};
