/** From a release in a Hex registry to a clone whose lock Mix reads: notification, pull request, merge. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import test from "ava";
import { hexRegistry, mixLock, rewrittenByMix } from "../../testing/hex-registry.js";
import { house } from "../../testing/house.js";
import { cloned, notify, rules } from "../../testing/proof.js";

const mix = (requirement: string): string =>
  `defmodule App.MixProject do\n  use Mix.Project\n\n  def project, do: [app: :app, version: "0.1.0", deps: deps()]\n\n  defp deps, do: [{:left, "${requirement}"}]\nend\n`;

test("a release is merged with its lock; one that needs what is not locked is offered, and waits", async (t) => {
  await using registry = await hexRegistry();
  registry.publish("left", "1.0.0");
  const at = await house(t, { inside: `registry "hex" { url = "${registry.url}" }` });
  const repo = await at.repo("app", {
    "mix.exs": mix("~> 1.0.0"),
    "mix.lock": mixLock({ "left 1.0.0": [] }),
  });
  await at.config(repo, rules("hex"));

  registry.publish("left", "1.0.1");
  await notify(at, "hex", "left", "1.0.1");
  await at.pulls(1, "state=merged");
  const place = await cloned(t, at, repo);
  const lock = await readFile(join(place, "mix.lock"), "utf8");
  t.is(lock, mixLock({ "left 1.0.1": [] }));
  t.is(await rewrittenByMix(lock), lock);
  t.is(await readFile(join(place, "mix.exs"), "utf8"), mix("~> 1.0.1"));

  registry.publish("left", "1.0.2", [{ name: "fresh", requirement: "~> 1.0" }]);
  await notify(at, "hex", "left", "1.0.2");
  const [open] = await at.pulls(1, "state=open");
  t.regex(String(open?.attributes.note), /mix deps\.update left/);
  t.is((await at.pulls(1, "state=merged")).length, 1);
});
