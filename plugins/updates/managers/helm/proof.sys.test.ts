/** From a release in a repository of charts to a merged lock file with its digest. */
import test from "ava";
import { parse } from "yaml";
import { chartRepository } from "../../testing/chart-repository.js";
import { updatesFixture } from "../../testing/fixture.js";
import { clonedFiles, notify, rules } from "../../testing/proof.js";
import { digestOf } from "./lockfile.js";
import { chartDependencies } from "./manifest/read.js";

test.serial("a patch is merged with its lock file, an unknown digest waits", async (t) => {
  await using charts = await chartRepository();
  charts.publish("left", "1.0.0");
  const at = await updatesFixture(t);
  const manifest = (version: string): string =>
    `apiVersion: v2\nname: app\nversion: 0.1.0\ndependencies:\n  - name: left\n    version: ${version} # größer\n    repository: ${charts.url}\n    condition: left.enabled\n`;
  const lock = (version: string, digest?: string): string => {
    const chart = { name: "left", repository: charts.url, version };
    const sum = digest ?? digestOf(chartDependencies("Chart.yaml", manifest(version)), [chart]);
    return `dependencies:\n- name: left\n  repository: ${charts.url}\n  version: ${version}\ndigest: ${sum}\ngenerated: "2026-01-01T00:00:00Z"\n`;
  };
  const files = (version: string, digest?: string) => ({
    "Chart.yaml": manifest(version),
    "Chart.lock": lock(version, digest),
  });
  const repo = await at.repo("chart", files("1.0.0"));
  const other = await at.repo("edited", files("1.0.0", `sha256:${"0".repeat(64)}`));
  for (const each of [repo, other]) await at.config(each, rules("helm"));
  charts.publish("left", "1.0.1");
  await notify(at, "helm", "left", "1.0.1");
  const [merged] = await at.pulls(1, "state=merged");
  t.is(merged?.attributes.title, "Bump left from 1.0.0 to 1.0.1");
  const now = await clonedFiles(t, at, repo);
  t.deepEqual(now, files("1.0.1"));
  t.is(parse(now["Chart.lock"] ?? "").dependencies[0].version, "1.0.1");
  const [open] = await at.pulls(1, "state=open");
  t.regex(String(open?.attributes.body), /its digest is not that of Chart.yaml/);
  t.deepEqual(await clonedFiles(t, at, other), files("1.0.0", `sha256:${"0".repeat(64)}`));
});
