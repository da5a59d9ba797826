/** `Chart.yaml` and `Chart.lock`, against an index over HTTP and a real OCI registry. */
import test from "ava";
import { needs, program } from "../../../../tests/support/needs.js";
import type { UpdateDecision } from "../../decide/contract.js";
import { propose } from "../../decide/propose.js";
import { chartRepository } from "../../testing/chart-repository.js";
import { repository, workshop } from "../../testing/manager-fixture.js";
import { ociRegistry } from "../../testing/oci-registry.js";
import type { ManagerSettings, ProjectSources, Tools } from "../contract.js";
import { helm } from "./manager.js";
import { chartEntries } from "./registry.js";
import { helmRequirement, helmVersioning } from "./versions.js";

const withRegistry = needs(test, program("docker-registry"));
const none: ManagerSettings = { registries: [] };

const decided = (
  sources: ProjectSources,
  tools: Tools,
  settings = none,
): Promise<readonly UpdateDecision[]> =>
  Promise.all(
    helm
      .parse(sources, settings)
      .dependencies.filter(({ origin }) => origin.kind !== "none")
      .map((dependency) =>
        propose({
          ...{ manager: helm, dependency, runtime: {}, library: false, advisories: [], now: 0 },
          policy: { lockfileOnly: false, securityOnly: false, ignore: [] },
          lookup: tools.lookup.fresh(),
        }),
      ),
  );

async function updated(sources: ProjectSources, tools: Tools, settings = none) {
  const found = await decided(sources, tools, settings);
  const changes = found.flatMap((one) => (one.kind === "update" ? [one.change] : []));
  return helm.update({ sources, settings, changes }, tools);
}

const chart = (dependencies: string): string =>
  `apiVersion: v2\nname: app\nversion: 1.0.0\ndependencies:\n${dependencies}`;

test("versions come from the index, deprecated ones and prereleases wait", async (t) => {
  await using charts = await chartRepository();
  await using tools = workshop();
  for (const version of ["v1.0.0", "v1.2.0", "v2.0.0-rc.1", "1.1.0+build.5", "not-a-version"])
    charts.publish("left", version, { sources: ["https://github.com/acme/left/tree/main/chart"] });
  charts.publish("left", "v1.3.0", { deprecated: true });
  charts.publish("left-over", "9.0.0");
  charts.publish("dependencies", "9.0.0");
  const text = (version: string): string =>
    chart(`  - name: left\n    version: ${version}\n    repository: ${charts.url}/\n`);
  const sources = repository({ "Chart.yaml": text("v1.0.0") });
  const edit = await updated(sources, tools);
  t.is(edit.files.get("Chart.yaml"), text("v1.2.0"));
  t.deepEqual(edit.lock, { kind: "absent" });
  const [dependency] = helm.parse(sources, none).dependencies;
  if (!dependency) return t.fail();
  const { releases } = await helm.available(dependency, tools.lookup, { dates: true });
  t.deepEqual(
    releases.find(({ version }) => version === "v1.2.0"),
    {
      version: "v1.2.0",
      published: Date.parse("2026-01-01T00:00:00.123+02:00"),
    },
  );
  t.deepEqual(await helm.source?.(dependency, { version: "v1.2.0" }, tools.lookup), {
    url: "https://github.com/acme/left",
  });
});

test("a chart that the index lacks, and an index that is none, are errors with a name", async (t) => {
  await using charts = await chartRepository();
  await using tools = workshop();
  charts.publish("right", "1.0.0");
  const sources = repository({
    "Chart.yaml": chart(`  - { name: left, version: 1.0.0, repository: "${charts.url}" }\n`),
  });
  const [dependency] = helm.parse(sources, none).dependencies;
  if (!dependency) return t.fail();
  const ask = () => helm.available(dependency, tools.lookup.fresh(), { dates: false });
  await t.throwsAsync(ask, { message: `${charts.url} has no chart left.` });
  charts.text = "<html>";
  await t.throwsAsync(ask, { code: "registry_garbled" });
});

withRegistry("versions come from the tags of an OCI registry, with _ for +", async (t) => {
  await using registry = await ociRegistry();
  await using tools = workshop();
  for (const tag of ["1.0.0", "1.2.0_build.7", "latest"]) await registry.push("acme/left", tag);
  const text = (version: string): string =>
    chart(`- name: left\n  version: "${version}"\n  repository: oci://${registry.host}/acme\n`);
  const edit = await updated(repository({ "Chart.yaml": text("1.0.0") }), tools);
  t.is(edit.files.get("Chart.yaml"), text("1.2.0+build.7"));
});

test("a named repository is the one of a registry block", async (t) => {
  await using charts = await chartRepository();
  await using tools = workshop();
  for (const version of ["1.0.0", "1.1.0"]) charts.publish("left", version);
  const text = (version: string, alias: string): string =>
    chart(`  - { name: left, version: ${version}, repository: "${alias}acme" }\n`);
  const settings = { registries: [{ manager: "helm", scope: "@acme", url: charts.url }] };
  for (const alias of ["@", "alias:"]) {
    const sources = repository({ "Chart.yaml": text("1.0.0", alias) });
    const edit = await updated(sources, tools, settings);
    t.is(edit.files.get("Chart.yaml"), text("1.1.0", alias));
    t.regex(
      JSON.stringify(helm.parse(sources, none).dependencies[0]?.origin),
      /the repository @acme, which no `registry \\"helm\\"` block names/,
    );
  }
});

/** Charts and their lock files, whose digests Helm computed. */
const OCI = "oci://registry-1.docker.io/bitnamicharts";
const PROMETHEUS = "https://prometheus-community.github.io/helm-charts";
const entry = (name: string, repository: string, version: string): string =>
  `- name: ${name}\n  repository: ${repository}\n  version: ${version}\n`;
const lockedByHelm: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "conditions and tags, in an OCI registry": {
    "Chart.yaml": chart(
      `  - condition: memcached.enabled\n    name: memcached\n    repository: ${OCI}\n    version: 7.x.x\n  - condition: mariadb.enabled\n    name: mariadb\n    repository: ${OCI}\n    version: 18.x.x\n  - name: common\n    repository: ${OCI}\n    tags:\n      - bitnami-common\n    version: 2.x.x\n`,
    ),
    "Chart.lock": `dependencies:\n${entry("memcached", OCI, "7.0.6")}${entry("mariadb", OCI, "18.0.5")}${entry("common", OCI, "2.19.2")}digest: sha256:88f139bdbfc47912743cec19b9ae0dccb73703e9df39b18a6797915702078ce9\ngenerated: "2024-05-15T12:57:13.430837+02:00"\n`,
  },
  "wildcards, in repositories over HTTP": {
    "Chart.yaml": chart(
      `  - name: kube-state-metrics\n    version: "4.1.*"\n    repository: ${PROMETHEUS}\n    condition: kubeStateMetrics.enabled\n  - name: prometheus-node-exporter\n    version: "2.2.*"\n    repository: ${PROMETHEUS}\n    condition: nodeExporter.enabled\n  - name: grafana\n    version: "6.19.*"\n    repository: https://grafana.github.io/helm-charts\n    condition: grafana.enabled\n`,
    ),
    "Chart.lock": `dependencies:\n${entry("kube-state-metrics", PROMETHEUS, "4.1.1")}${entry("prometheus-node-exporter", PROMETHEUS, "2.2.2")}${entry("grafana", "https://grafana.github.io/helm-charts", "6.19.0")}digest: sha256:3437708289e2e35e8de7ac468e0d7fe2df43e2d459857b8855cc84cb18501832\ngenerated: "2021-12-10T14:28:39.401354003+01:00"\n`,
  },
};
for (const [what, files] of Object.entries(lockedByHelm))
  test(`a lock file by Helm is refreshed in process: ${what}`, async (t) => {
    await using tools = workshop();
    const sources = repository(files);
    const [dependency, ...others] = helm.parse(sources, none).dependencies;
    if (dependency?.current === undefined) return t.fail();
    const to = { version: dependency.current.replace(/^\d+/, "99") };
    const requirements = dependency.declarations.map((one) =>
      helm.requirement(one, to, "bump_versions"),
    );
    const changes = [{ dependency, to, requirements }];
    const edit = await helm.update({ sources, settings: none, changes }, tools);
    t.like(edit.lock, { kind: "refreshed", tier: "in_process" });
    const after = repository({ ...files, ...Object.fromEntries(edit.files) });
    const parsed = helm.parse(after, none).dependencies;
    t.deepEqual(
      parsed.map(({ name, current }) => [name, current]),
      [dependency, ...others].map(({ name, current }) => [
        name,
        name === dependency.name ? to.version : current,
      ]),
    );
    // Back again gives the bytes of Helm.
    const [moved] = parsed;
    if (!moved) return t.fail();
    const back = await helm.update(
      {
        ...{ sources: after, settings: none },
        changes: [
          {
            dependency: moved,
            to: { version: dependency.current },
            requirements: dependency.declarations.map(({ requirement }) => requirement),
          },
        ],
      },
      tools,
    );
    t.deepEqual(Object.fromEntries(back.files), files);
  });

const stale: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "Chart.lock is not refreshed: its digest is not that of Chart.yaml.": {
    "Chart.lock": `dependencies:\n- name: left\n  repository: https://c.example\n  version: 1.0.0\ndigest: sha256:0\n`,
  },
  "Chart.lock is not refreshed: Chart.lock:1 is not YAML: Flow sequence in block collection must be sufficiently indented and end with a ].":
    {
      "Chart.lock": "a: [",
    },
  "charts/left-1.0.0.tgz is not refreshed: it is an archive.": { "charts/left-1.0.0.tgz": "" },
};
for (const [note, more] of Object.entries(stale))
  test(`stale: ${note}`, async (t) => {
    await using tools = workshop();
    const text = chart("- { name: left, version: 1.0.0, repository: https://c.example }\n");
    const sources = repository({ "Chart.yaml": text, ...more });
    const [dependency] = helm.parse(sources, none).dependencies;
    if (!dependency) return t.fail();
    const changes = [{ dependency, to: { version: "2.0.0" }, requirements: ["2.0.0"] }];
    const edit = await helm.update({ sources, settings: none, changes }, tools);
    t.deepEqual(edit.lock, { kind: "stale", note: `${note} Run \`helm dependency update\`.` });
    t.deepEqual([...edit.files.keys()], ["Chart.yaml"]);
  });

const origins: ReadonlyArray<readonly [fields: string, origin: string]> = [
  ["repository: https://c.example/x/, version: 1.0.0", "https://c.example/x"],
  ["repository: oci://ghcr.io/acme/x, version: 1.0.0", "https://ghcr.io acme/x/a"],
  ["repository: oci://docker.io/acme, version: 1.0.0", "https://registry-1.docker.io acme/a"],
  ["repository: file://../a, version: 1.0.0", "a is a local chart."],
  ["version: 1.0.0", "a is a chart in the directory charts."],
  ["repository: https://c.example", "a has no version that can be edited."],
  ["repository: s3://bucket/x, version: 1.0.0", "a is in a repository of an unknown kind."],
];
for (const [fields, expected] of origins)
  test(`a chart with ${fields} is from: ${expected}`, (t) => {
    const sources = repository({ "Chart.yaml": chart(`- { name: a, ${fields} }\n`) });
    const [{ origin, extra } = t.fail()] = helm.parse(sources, none).dependencies as never[];
    const { kind, url, why } = origin as Record<string, string>;
    t.is(
      kind === "none"
        ? why
        : [url, (extra as Record<string, string>)?.repository].filter(Boolean).join(" "),
      expected,
    );
  });

test("charts for Helm 2 have requirements.yaml, and a chart without Chart.yaml is none", (t) => {
  const requirements =
    "dependencies:\n- { name: a, version: 1.0.0, repository: https://c.example }\n";
  const files = { "Chart.yaml": "name: app\nversion: 1.0.0\n", "requirements.yaml": requirements };
  const sources = repository({ ...files, "requirements.lock": "dependencies: []\n" });
  t.deepEqual(helm.filesToRead(sources).toSorted(), [
    ...["Chart.yaml", "requirements.lock", "requirements.yaml"],
  ]);
  const [dependency] = helm.parse(sources, none).dependencies;
  t.is(dependency?.declarations[0]?.file, "requirements.yaml");
  t.deepEqual(helm.filesToRead(repository({ "requirements.yaml": requirements })), []);
});

const broken: ReadonlyArray<readonly [file: string, text: string, why: string]> = [
  ["Chart.yaml", "a: [", "Chart.yaml:1 is not YAML: Flow sequence"],
  ["Chart.yaml", "- a\n", "Chart.yaml is no map with the fields of a chart."],
  ["Chart.yaml", "dependencies: 1\n", "Chart.yaml has no list in `dependencies`."],
  ["Chart.lock", "a: [", "Chart.lock:1 is not YAML: Flow sequence"],
];
for (const [file, text, why] of broken)
  test(`a broken file is reported: ${why}`, (t) => {
    const parsed = helm.parse(
      repository({ "Chart.yaml": chart("- { name: a }\n"), [file]: text }),
      none,
    );
    t.is(parsed.broken.length, 1);
    t.true(parsed.broken[0]?.why.startsWith(why), parsed.broken[0]?.why);
  });

const requirements: ReadonlyArray<readonly [old: string, to: string, bumped: string]> = [
  ["1.0.0", "v2.1.0", "2.1.0"],
  ["v1.0.0", "2.1.0", "v2.1.0"],
  ["7.x.x", "8.1.2", "8.x.x"],
  ["4.1.*", "5.2.3", "5.2.*"],
  ["~1.2", "2.1.0", "~2.1"],
  [">=1.0.0, <2.0.0", "2.1.0", ">=1.0.0, <3.0.0"],
  [">= 1.0.0, < 2.0.0", "1.5.0", ">= 1.0.0, < 2.0.0"],
];
for (const [old, to, bumped] of requirements)
  test(`the requirement ${old} becomes ${bumped} for ${to}`, (t) => {
    t.is(helmRequirement(old, to, "bump_versions"), bumped);
    t.true(helmVersioning.satisfies(to, bumped));
  });

test("an index in any layout is read", (t) => {
  const entries = { left: [{ version: "1.0.0" }], right: [{ version: "2.0.0" }] };
  const texts = [
    JSON.stringify({ apiVersion: "v1", entries }),
    "entries:\n  left:\n  - version: 1.0.0\n  right:\n  - version: 2.0.0\n",
    `entries:\r\n    "left":\r\n      - version: 1.0.0\r\n    right:\r\n      - version: 2.0.0\r\ngenerated: x\r\n`,
    "entries: { left: [{ version: 1.0.0 }], right: [{ version: 2.0.0 }] }\n",
  ];
  for (const text of texts)
    for (const name of ["left", "right"] as const)
      t.deepEqual(chartEntries(text, name), entries[name], text);
  for (const text of texts) t.is(chartEntries(text, "version"), undefined, text);
});
