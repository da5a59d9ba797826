/** Charts of `helm_release`, against an index over HTTP. */
import test from "ava";
import { propose } from "../../decide/propose.js";
import { chartRepository } from "../../testing/chart-repository.js";
import { repository, workshop } from "../../testing/manager-fixture.js";
import type { ManagerSettings } from "../contract.js";
import { terraform } from "./manager.js";

const none: ManagerSettings = { registries: [] };

const forms: Readonly<Record<string, (url: string, version: string) => readonly [string, string]>> =
  {
    HCL: (url, version) => [
      "main.tf",
      `resource "helm_release" "a" {\n  repository = "${url}"\n  chart = "left"\n  version = "${version}" # größer\n}\n`,
    ],
    JSON: (url, version) => [
      "main.tf.json",
      `{ "resource": { "helm_release": { "a": { "repository": "${url}", "chart": "left", "version": "${version}" } } } }\n`,
    ],
    "a local": (url, version) => [
      "main.tf",
      `locals {\n  v = "${version}"\n}\nresource "helm_release" "a" {\n  repository = "${url}"\n  chart = "left"\n  version = local.v\n}\n`,
    ],
  };
for (const [what, form] of Object.entries(forms))
  test(`a chart in ${what} moves to the newest version of its index`, async (t) => {
    await using charts = await chartRepository();
    await using tools = workshop();
    for (const version of ["1.0.0", "v1.2.0", "2.0.0-rc.1"]) charts.publish("left", version);
    const [file, text] = form(charts.url, "1.0.0");
    const sources = repository({ [file]: text });
    const [dependency, ...others] = terraform.parse(sources, none).dependencies;
    t.deepEqual(others, []);
    if (!dependency) return t.fail();
    const decision = await propose({
      ...{ manager: terraform, dependency, runtime: {}, library: false, advisories: [], now: 0 },
      policy: { lockfileOnly: false, securityOnly: false, ignore: [] },
      lookup: tools.lookup,
    });
    if (decision.kind === "none") return t.fail(decision.why);
    const edit = await terraform.update(
      { sources, settings: none, changes: [decision.change] },
      tools,
    );
    t.deepEqual(Object.fromEntries(edit.files), Object.fromEntries([form(charts.url, "1.2.0")]));
    t.deepEqual(edit.lock, { kind: "absent" });
  });

test("a chart without a version, and two that share one", (t) => {
  const release = (name: string, version: string): string =>
    `resource "helm_release" "${name}" {\n  repository = "https://c.example"\n  chart = "${name}"\n${version}}\n`;
  const text = `locals {\n  v = "1.0.0"\n}\n${release("a", "")}${release("b", "  version = local.v\n")}${release("c", "  version = local.v\n")}`;
  const { dependencies } = terraform.parse(repository({ "main.tf": text }), none);
  t.deepEqual(
    dependencies.map(({ origin }) => origin.kind === "none" && origin.why),
    [
      "a has no version that can be edited.",
      "local.v has the version of several dependencies.",
      "local.v has the version of several dependencies.",
    ],
  );
});
