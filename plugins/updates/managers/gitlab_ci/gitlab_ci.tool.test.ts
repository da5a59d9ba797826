/** Pipelines of GitLab: images, variables in them, files of other projects, components. */
import test from "ava";
import { needs, program } from "../../../../tests/support/needs.js";
import { propose } from "../../decide/propose.js";
import { gitRemote } from "../../testing/git.js";
import { asWanted, repository, workshop } from "../../testing/manager-fixture.js";
import { ociRegistry } from "../../testing/oci-registry.js";
import type { ManagerSettings, ProjectSources, Tools } from "../contract.js";
import { gitlabCi } from "./manager.js";

const withRegistry = needs(test, program("docker-registry"));
const FILE = ".gitlab-ci.yml";
const none: ManagerSettings = { registries: [] };
const SHA = "8e5e7e5ab8b370d6c329ec480221332ada57f0ab";
const DIGEST = `sha256:${"ab".repeat(32)}`;

async function updated(
  sources: ProjectSources,
  tools: Tools,
  settings = none,
): Promise<string | undefined> {
  const { dependencies } = gitlabCi.parse(sources, settings);
  const decisions = await Promise.all(
    dependencies
      .filter(({ origin }) => origin.kind !== "none")
      .map((dependency) =>
        propose({
          ...{ manager: gitlabCi, dependency, runtime: {}, library: false, advisories: [], now: 0 },
          policy: { lockfileOnly: false, securityOnly: false, ignore: [] },
          lookup: tools.lookup.fresh(),
        }),
      ),
  );
  const changes = decisions.flatMap((one) => (one.kind === "update" ? [one.change] : []));
  const edit = await gitlabCi.update({ sources, settings, changes }, tools);
  return edit.files.get(FILE);
}

test("projects and components follow the tags of their repositories", async (t) => {
  await using remote = await gitRemote();
  await using tools = workshop();
  const one = await remote.commit("main", "one");
  const two = await remote.commit("main", "two");
  await remote.tag("1.0.0", one, true);
  await remote.tag("1.2.0", two, true);
  const server = `file://${remote.path.replace(/\/acme\/thing$/, "")}`;
  const settings = { registries: [{ manager: "gitlab_ci", url: server }] };
  const text = (tag: string, commit: string): string =>
    `include:\n  - { project: acme/thing, ref: "${tag}", file: a.yml }\n  - project: acme/thing\n    ref: ${commit} # ${tag}\n    file: b.yml\n  - component: $CI_SERVER_FQDN/acme/thing/lint@${tag}\n  - component: $CI_SERVER_FQDN/acme/thing/lint@${commit} # ${tag}\n  - component: $CI_SERVER_FQDN/acme/thing/lint@1\n`;
  t.is(
    await updated(repository({ [FILE]: text("1.0.0", one) }), tools, settings),
    text("1.2.0", two),
  );
});

withRegistry("tags in variables and behind a named registry move, digests with them", async (t) => {
  await using registry = await ociRegistry();
  await using tools = workshop();
  await registry.push("acme/base", "1.0-slim");
  const digest = await registry.push("acme/base", "1.3-slim");
  const settings = {
    registries: [
      { manager: "gitlab_ci", scope: "$CI_REGISTRY", url: `http://${registry.host}` },
      { manager: "gitlab_ci", scope: "$CI_REGISTRY_IMAGE", url: `http://${registry.host}/acme` },
    ],
  };
  const text = (version: string, pin: string): string =>
    `variables:\n  BASE: "${version}"\nimage: $CI_REGISTRY/acme/base:$BASE-slim\na:\n  services: ["$CI_REGISTRY_IMAGE/base:${version}-slim@${pin}"]\n`;
  const sources = repository({ [FILE]: text("1.0", DIGEST) });
  t.is(await updated(sources, tools, settings), text("1.3", digest));
});

interface Found {
  readonly text: string;
  readonly url?: string;
  /** `name@current from origin`, or the reason for no source. */
  readonly found: readonly string[];
}
const forms: Readonly<Record<string, Found>> = {
  "images everywhere": {
    text: "image: a:1\nservices: [b:2]\ndefault: { image: { name: c:3 }, services: [{ name: d:4 }] }\n.hidden: { image: e:5 }\npages: { image: f:6 }\n",
    found: ["a@1", "b@2", "c@3", "d@4", "e@5", "f@6"],
  },
  "no images where there are none": {
    text: "variables: { image: a:1 }\njob: { script: ['image: b:2'], variables: { image: c:3 }, artifacts: { image: d:4 } }\nworkflow: { image: e:5 }\n",
    found: [],
  },
  "an anchor, and what refers to it": {
    text: "image: &i a:1\njob: { image: *i }\n",
    found: ["a@1"],
  },
  "a variable of the job before one of the file": {
    text: "variables: { V: '1' }\na: { variables: { V: { value: '2' } }, image: 'x:$V' }\nb: { image: 'x:${V}' }\n",
    found: ["x@2", "x@1"],
  },
  "a variable that is not in the file": { text: "image: x:$V\n", found: [] },
  "the proxy for Docker Hub": {
    text: "image: ${CI_DEPENDENCY_PROXY_GROUP_IMAGE_PREFIX}/node:20\n",
    found: ["node@20"],
  },
  "a registry that no one has named": { text: "image: $CI_REGISTRY/x:1\n", found: [] },
  "a project on the server of the repository": {
    text: "include: { project: g/sub/p, ref: v1.0.0 }\n",
    url: "git@gitlab.example:acme/own.git",
    found: ["g/sub/p@v1.0.0 from https://gitlab.example/g/sub/p"],
  },
  "a project of a repository that is mirrored elsewhere": {
    text: "include: [{ project: g/p, ref: v1.0.0 }]\n",
    url: "https://github.com/acme/own",
    found: ["g/p@v1.0.0 from https://gitlab.com/g/p"],
  },
  "a branch, and no reference": {
    text: "include: [{ project: g/p, ref: main }, { project: g/q }]\n",
    found: ["g/p follows the branch main."],
  },
  "components on this and another server": {
    text: `include:\n- component: gitlab.com/g/p/c@1.2.3\n- component: $CI_SERVER_HOST/g/p/d@1.2.3\n- component: other.example/g/p/c@${SHA}\n`,
    found: [
      "g/p@1.2.3 from https://gitlab.com/g/p",
      "other.example/g/p@undefined from https://other.example/g/p",
    ],
  },
  "components that follow a range": {
    text: "include: [{ component: gitlab.com/g/p/c@1 }, { component: gitlab.com/g/p/c@~latest }, { component: gitlab.com/g/p/c@1.2 }]\n",
    found: [
      "g/p follows the newest version of 1.",
      "g/p follows the newest version of ~latest.",
      "g/p follows the newest version of 1.2.",
    ],
  },
  "a component with a variable in its path": {
    text: "include: [{ component: $CI_SERVER_FQDN/$GROUP/p/c@1.2.3 }]\n",
    found: ["$GROUP/p has a variable in its path."],
  },
  "remote files and templates": {
    text: "include: [{ remote: 'https://a.example/x.yml' }, { template: A.yml }, 'https://a.example/y.yml']\n",
    found: [],
  },
  "a pipeline that a job triggers": {
    text: "job: { trigger: { include: [{ project: g/p, ref: v2.0.0, file: a.yml }] } }\n",
    found: ["g/p@v2.0.0 from https://gitlab.com/g/p"],
  },
};
for (const [what, { text, url, found }] of Object.entries(forms))
  test(`pipelines: ${what}`, (t) => {
    const more = url === undefined ? {} : { url };
    const parsed = gitlabCi.parse(repository({ [FILE]: text }, more), none);
    t.deepEqual(
      parsed.dependencies.map(({ origin, name, current }) => {
        if (origin.kind === "none") return origin.why;
        return `${name}@${current}${origin.kind === "git" ? ` from ${origin.url}` : ""}`;
      }),
      [...found],
    );
    t.deepEqual(parsed.broken, []);
  });

test("files that the pipeline includes are read, and those that they include", (t) => {
  const files = {
    [FILE]: "include: ['/ci/a.yml', { local: 'jobs/**.yml' }]\n",
    "ci/a.yml": "include: { local: ci/b.yml }\na: { trigger: { include: ci/c.yml } }\n",
    "ci/b.yml": "b: { image: x:1 }\n",
    "ci/c.yml": "c: { image: x:1 }\n",
    "ci/d.yml": "d: { image: x:1 }\n",
    "jobs/one/e.yml": "e: { image: x:1 }\n",
    "deploy.gitlab-ci.yml": "include: missing.yml\n",
  };
  const { files: read } = asWanted(gitlabCi, repository(files));
  t.deepEqual([...read.keys()].sort(), [
    ...[FILE, "ci/a.yml", "ci/b.yml", "ci/c.yml", "deploy.gitlab-ci.yml", "jobs/one/e.yml"],
  ]);
  t.deepEqual(gitlabCi.filesToRead(repository({ "sub/.gitlab-ci.yml": "" })), []);
});

const broken: ReadonlyArray<readonly [what: string, text: string, why: string]> = [
  ["no YAML", "a: [", `${FILE}:1 is not YAML: Flow sequence in block collection`],
  ["a list", "- a\n", `${FILE} is no map of jobs.`],
];
for (const [what, text, why] of broken)
  test(`pipelines: a file with ${what} is reported in one sentence, the others are read`, (t) => {
    const files = { [FILE]: text, "b.gitlab-ci.yml": "image: a:1\n" };
    const parsed = gitlabCi.parse(repository(files), none);
    t.deepEqual(
      parsed.dependencies.map(({ name }) => name),
      ["a"],
    );
    t.is(parsed.broken.length, 1);
    t.true(parsed.broken[0]?.why.startsWith(why), parsed.broken[0]?.why);
  });

test("pipelines: announced names are those of dependencies", (t) => {
  for (const [written, name] of [
    ["https://gitlab.com/acme/x.git", "gitlab.com/acme/x"],
    ["docker.io/library/Node:20", "node"],
    ["acme/templates", "acme/templates"],
    ["components/sast@1.0.0", "components/sast"],
  ] as const)
    t.is(gitlabCi.normalize(written), name);
});
