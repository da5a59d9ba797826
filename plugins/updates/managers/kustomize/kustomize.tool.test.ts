/** Kustomizations, against a real registry, real git repositories, and an index of charts. */
import test from "ava";
import { needs, program } from "../../../../tests/support/needs.js";
import { propose } from "../../decide/propose.js";
import { chartRepository } from "../../testing/chart-repository.js";
import { gitRemote } from "../../testing/git.js";
import { repository, workshop } from "../../testing/manager-fixture.js";
import { ociRegistry } from "../../testing/oci-registry.js";
import type { ManagerSettings, ProjectSources, Tools } from "../contract.js";
import { kustomize } from "./manager.js";
import { readRemote } from "./remote.js";

const withRegistry = needs(test, program("docker-registry"));
const none: ManagerSettings = { registries: [] };
const FILE = "kustomization.yaml";
const SHA = "8e5e7e5ab8b370d6c329ec480221332ada57f0ab";
const DIGEST = `sha256:${"ab".repeat(32)}`;

async function updated(sources: ProjectSources, tools: Tools) {
  const { dependencies } = kustomize.parse(sources, none);
  const decisions = await Promise.all(
    dependencies
      .filter(({ origin }) => origin.kind !== "none")
      .map((dependency) =>
        propose({
          ...{ manager: kustomize, dependency, runtime: {}, library: false, advisories: [] },
          policy: { lockfileOnly: false, securityOnly: false, ignore: [] },
          ...{ lookup: tools.lookup.fresh(), now: 0 },
        }),
      ),
  );
  const changes = decisions.flatMap((one) => (one.kind === "update" ? [one.change] : []));
  const edit = await kustomize.update({ sources, settings: none, changes }, tools);
  return Object.fromEntries(edit.files);
}

withRegistry("a tag moves, and its digest with it, in every overlay", async (t) => {
  await using registry = await ociRegistry();
  await using tools = workshop();
  const image = `${registry.host}/acme/app`;
  await registry.push("acme/app", "1.0.0-slim");
  const digest = await registry.push("acme/app", "1.2.0-slim");
  await registry.push("acme/app", "1.9.0");
  const files = (version: string, pin: string) => ({
    [`base/${FILE}`]: `images:\n- name: app # größer\n  newName: ${image}\n  newTag: ${version}\n  digest: "${pin}"\n`,
    [`overlays/a/${FILE}`]: `images:\n- { name: ${image}, newTag: '${version}' }\n`,
  });
  t.deepEqual(
    await updated(repository(files("1.0.0-slim", DIGEST)), tools),
    files("1.2.0-slim", digest),
  );
});

test("remote bases follow the tags of their repositories", async (t) => {
  await using remote = await gitRemote();
  await using tools = workshop();
  const one = await remote.commit("main", "one");
  const two = await remote.commit("main", "two");
  await remote.tag("v1.0.0", one, true);
  await remote.tag("v1.2.0", two, true);
  const url = `file://${remote.path}`;
  const text = (tag: string, commit: string): string =>
    `resources:\n- ${url}//config?ref=${tag}&timeout=90s\n- ${url}//config?ref=${commit} # ${tag}\n- ${url}//config?ref=main\ncomponents: ["${url}//c?submodules=0&ref=${tag}"]\n`;
  t.deepEqual(await updated(repository({ [FILE]: text("v1.0.0", one) }), tools), {
    [FILE]: text("v1.2.0", two),
  });
});

test("charts follow their index, ranges stay", async (t) => {
  await using charts = await chartRepository();
  await using tools = workshop();
  for (const version of ["1.0.0", "1.2.0", "1.3.0-0", "1.3.0-rc.1"])
    charts.publish("left", version);
  const text = (version: string): string =>
    `helmCharts:\n- name: left\n  repo: ${charts.url}\n  version: v${version}\n- name: left\n  repo: ${charts.url}\n  version: 1.x\nhelmChartInflationGenerator:\n- chartName: left\n  chartRepoUrl: ${charts.url}\n  chartVersion: "${version}"\n`;
  t.deepEqual(await updated(repository({ [FILE]: text("1.0.0") }), tools), {
    [FILE]: text("1.2.0"),
  });
});

interface Found {
  readonly text: string;
  readonly found: readonly string[];
}
const forms: Readonly<Record<string, Found>> = {
  "an image under another name": {
    text: "images: [{ name: a, newName: ghcr.io/b/c, newTag: v1 }]\n",
    found: ["ghcr.io/b/c@v1"],
  },
  "an image that has only a new name": {
    text: "images: [{ name: a, newName: b }]\n",
    found: [],
  },
  "an image that is pinned by its digest alone": {
    text: `images: [{ name: a, digest: "${DIGEST}" }]\n`,
    found: ["a is pinned by its digest alone."],
  },
  "a local base and a manifest by URL": {
    text: "resources: [../base, deploy.yaml, 'https://h.example/a/b/v1.0.0/x.yaml']\n",
    found: [],
  },
  "a base that follows a branch": {
    text: "bases: ['github.com/a/b?ref=main']\n",
    found: ["https://github.com/a/b follows the branch main."],
  },
  "a base at a commit": {
    text: `bases: ['github.com/a/b?ref=${SHA}']\n`,
    found: ["https://github.com/a/b@undefined"],
  },
  "a chart with a range, and one without a repository": {
    text: "helmCharts: [{ name: a, repo: 'https://h.example', version: ^1.0.0 }, { name: b, version: 1.0.0 }]\n",
    found: ["a follows the range ^1.0.0."],
  },
  "fields of another form": {
    text: "images: { a: 1 }\nresources: 1\nhelmCharts: [a]\nbases: [{ a: 1 }]\n",
    found: [],
  },
};
for (const [what, { text, found }] of Object.entries(forms))
  test(`kustomizations: ${what}`, (t) => {
    const parsed = kustomize.parse(repository({ [FILE]: text }), none);
    t.deepEqual(
      parsed.dependencies.map(({ origin, name, current }) =>
        origin.kind === "none" ? origin.why : `${name}@${current}`,
      ),
      [...found],
    );
    t.deepEqual(parsed.broken, []);
  });

const remotes: ReadonlyArray<readonly [written: string, url: string | undefined, ref?: string]> = [
  ["https://github.com/a/b//x/y?ref=v1", "https://github.com/a/b", "v1"],
  ["https://github.com/a/b/x/y?ref=v1", "https://github.com/a/b", "v1"],
  ["github.com/a/b?ref=v1", "https://github.com/a/b", "v1"],
  ["git::https://h.example/a/b/c//x?ref=v1", "https://h.example/a/b/c", "v1"],
  ["https://h.example/a/b/c.git?timeout=1s&ref=v1", "https://h.example/a/b/c", "v1"],
  ["https://h.example/a/b.git/x?ref=v1&depth=1", "https://h.example/a/b", "v1"],
  ["git@h.example:a/b//x?ref=v1", "git@h.example:a/b", "v1"],
  ["ssh://git@h.example:22/a/b.git//x?ref=v1", "ssh://git@h.example:22/a/b", "v1"],
  ["https://github.com/a/b//x", undefined],
  ["https://github.com/a/b?timeout=1s", undefined],
  ["https://github.com/a?ref=v1", undefined],
  ["../base?ref=v1", undefined],
  ["base?ref=v1", undefined],
  ["./a/b?ref=v1", undefined],
  [`https://h.example/${"//?&".repeat(50_000)}`, undefined],
];
for (const [written, url, reference] of remotes)
  test(`the base ${written.slice(0, 60)} is ${reference ?? "no tag"} of ${url ?? "no repository"}`, (t) => {
    const remote = readRemote(written);
    t.is(remote?.url, url);
    t.is(remote && written.slice(remote.at, remote.at + remote.reference.length), reference);
  });

test("kustomizations of the directory and below are read", (t) => {
  const paths = ["a/kustomization.yaml", "a/b/kustomization.yml", "a/b/c/Kustomization"];
  const others = ["kustomization.yaml", "ab/kustomization.yaml", "a/kustomize.yaml"];
  const files = Object.fromEntries([...paths, ...others].map((path) => [path, "{}"]));
  t.deepEqual(kustomize.filesToRead(repository(files, { directory: "/a" })), paths);
});

const broken: ReadonlyArray<readonly [text: string, why: string]> = [
  ["a: [", `${FILE}:1 is not YAML: Flow sequence`],
  ["- a\n", `${FILE} is no map with the fields of a kustomization.`],
  ["", `${FILE} is no map with the fields of a kustomization.`],
];
for (const [text, why] of broken)
  test(`kustomizations: ${JSON.stringify(text)} is reported in one sentence`, (t) => {
    const files = { [FILE]: text, [`b/${FILE}`]: "images: [{ name: a, newTag: '1' }]\n" };
    const parsed = kustomize.parse(repository(files), none);
    t.is(parsed.dependencies.length, 1);
    t.is(parsed.broken.length, 1);
    t.true(parsed.broken[0]?.why.startsWith(why), parsed.broken[0]?.why);
  });
