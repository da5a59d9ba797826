/** Images in a real registry (Debian's `docker-registry`), and in one that issues tokens. */
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import test from "ava";
import { needs, program } from "../../../../tests/support/needs.js";
import type { UpdateDecision } from "../../decide/contract.js";
import { propose } from "../../decide/propose.js";
import { repository, workshop } from "../../testing/manager-fixture.js";
import { ociRegistry } from "../../testing/oci-registry.js";
import { closed } from "../../testing/server.js";
import type { ProjectSources, Tools } from "../contract.js";
import { docker } from "./manager.js";
import { readImage } from "./manifest/image.js";

const withRegistry = needs(test, program("docker-registry"));

async function decisions(
  sources: ProjectSources,
  tools: Tools,
): Promise<readonly UpdateDecision[]> {
  const found = docker.parse(sources, { registries: [] });
  return Promise.all(
    found.dependencies.map((dependency) =>
      propose({
        manager: docker,
        dependency,
        runtime: {},
        library: false,
        advisories: [],
        policy: { lockfileOnly: false, securityOnly: false, ignore: [] },
        lookup: tools.lookup.fresh(),
        now: 0,
      }),
    ),
  );
}

withRegistry(
  "a tag keeps its precision and flavour, a digest follows its tag, and all pages are read",
  async (t) => {
    await using registry = await ociRegistry();
    await using tools = workshop();
    const { host } = registry;
    const tags = [
      "20-alpine",
      "22-alpine",
      "22.1-alpine",
      "24",
      "24-alpine-rc1",
      "nightly",
      "20240101-alpine",
    ];
    for (const tag of tags) await registry.push("acme/node", tag);
    // More than the thousand of one page.
    const many = Array.from({ length: 1010 }, (_, index) => `many-${index}`);
    await registry.push("acme/node", "many", "many", many);
    const old = await registry.push("acme/base", "1.0.0");
    const next = await registry.push("acme/base", "1.1.0");

    const sources = repository({
      Dockerfile: `FROM ${host}/acme/node:20-alpine\nFROM ${host}/acme/base:1.0.0@${old}\n`,
    });
    const [node, base] = await decisions(sources, tools);
    if (node?.kind !== "update" || base?.kind !== "update") return t.fail();
    t.deepEqual([node.to, node.semver, base.to], ["22-alpine", "major", "1.1.0"]);
    const changes = [node.change, base.change];
    const edit = await docker.update({ sources, settings: { registries: [] }, changes }, tools);
    t.is(
      edit.files.get("Dockerfile"),
      `FROM ${host}/acme/node:22-alpine\nFROM ${host}/acme/base:1.1.0@${next}\n`,
    );
    t.is(edit.lock.kind, "absent");
  },
);

withRegistry("a tag pushed again changes the digest only", async (t) => {
  await using registry = await ociRegistry();
  await using tools = workshop();
  const { host } = registry;
  const old = await registry.push("acme/base", "1.0.0", "before");
  const sources = repository({ Containerfile: `FROM ${host}/acme/base:1.0.0@${old}\n` });
  const [unchanged] = await decisions(sources, tools);
  t.is(unchanged?.kind === "none" ? unchanged.reason : "", "up_to_date");

  const now = await registry.push("acme/base", "1.0.0", "after");
  const [moved] = await decisions(sources, tools);
  if (moved?.kind !== "update") return t.fail();
  t.deepEqual(moved.change.requirements, [`1.0.0@${now}`]);
  t.true(moved.inRange);
});

test("a registry with tokens is asked for one, and the credential goes only to it", async (t) => {
  const seen: string[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    const { authorization = "none" } = request.headers;
    seen.push(`${request.url?.split("?")[0]} ${authorization}`);
    if (request.url?.startsWith("/token")) {
      response.end(JSON.stringify({ token: "granted" }));
      return;
    }
    if (authorization !== "Bearer granted") {
      const realm = `http://${request.headers.host}/token`;
      const challenge = `Bearer realm="${realm}",service="oci",scope="repository:acme/x:pull"`;
      response.writeHead(401, { "www-authenticate": challenge }).end();
      return;
    }
    response.end(JSON.stringify({ tags: ["1.0", "1.1"] }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  await using tools = workshop({
    credentials: [{ url: `http://${host}`, authorization: "Basic c2VjcmV0" }],
  });
  const sources = repository({ Dockerfile: `FROM ${host}/acme/x:1.0\n` });
  const [decision] = await decisions(sources, tools);
  await closed(server);
  t.is(decision?.kind === "update" ? decision.to : "", "1.1");
  t.deepEqual(seen, [
    "/v2/acme/x/tags/list Basic c2VjcmV0",
    "/token Basic c2VjcmV0",
    "/v2/acme/x/tags/list Bearer granted",
  ]);
});

const images: ReadonlyArray<
  readonly [text: string, name: string | undefined, repository?: string, tag?: string]
> = [
  ["node", "node", "library/node"],
  ["node:20", "node", "library/node", "20"],
  ["docker.io/library/node:20", "node", "library/node", "20"],
  ["acme/app:v1", "acme/app", "acme/app", "v1"],
  ["ghcr.io/Acme/App:v1", "ghcr.io/acme/app", "acme/app", "v1"],
  ["localhost:5000/app", "localhost:5000/app", "app"],
  [`app@sha256:${"0".repeat(64)}`, "app", "library/app"],
  ["$IMAGE", undefined],
  ["", undefined],
];
for (const [text, name, path, tag] of images)
  test(`the image "${text}" is ${name ?? "none"}`, (t) => {
    const image = readImage(text);
    t.is(image?.name, name);
    t.is(image?.repository, path);
    t.is(image?.tag, tag);
  });

const variables: ReadonlyArray<
  readonly [dockerfile: string, image: string | undefined, after?: string]
> = [
  ["ARG V=20\nFROM node:$V\n", "node:20", "ARG V=22\nFROM node:$V\n"],
  [
    'ARG V="20"\nFROM node:${V}-alpine AS a\n',
    "node:20-alpine",
    'ARG V="22"\nFROM node:${V}-alpine AS a\n',
  ],
  ["ARG V=3.1\nFROM acme/x:v${V}\n", "acme/x:v3.1", "ARG V=22\nFROM acme/x:v${V}\n"],
  [
    "ARG I=ghcr.io/acme/x:1.2\nFROM ${I}\n",
    "ghcr.io/acme/x:1.2",
    "ARG I=ghcr.io/acme/x:22\nFROM ${I}\n",
  ],
  ["ARG I=node:20\nFROM $I-slim\n", "node:20-slim", "ARG I=node:22\nFROM $I-slim\n"],
  ["FROM node:${V:-20}-slim\n", "node:20-slim", "FROM node:${V:-22}-slim\n"],
  ["ARG V=20\nFROM node:${V:-18}\n", "node:20", "ARG V=22\nFROM node:${V:-18}\n"],
  ["ARG R=ghcr.io\nFROM ${R}/x:1\n", undefined],
  ["ARG V=20\nARG W=a\nFROM node:${V}-${W}\n", undefined],
  ["FROM node:${V}\n", undefined],
  [`ARG V=20\nFROM node:\${V}@sha256:${"0".repeat(64)}\n`, undefined],
];
for (const [dockerfile, image, after] of variables)
  test(`${JSON.stringify(dockerfile)} builds on ${image ?? "an unknown image"}`, async (t) => {
    const sources = repository({ Dockerfile: dockerfile });
    const [dependency, ...others] = docker.parse(sources, { registries: [] }).dependencies;
    t.is(dependency && `${dependency.name}:${dependency.current}`, image);
    t.deepEqual(others, []);
    if (!dependency || after === undefined) return;
    const version = dependency.current?.replace(/[\d.]+/, "22") ?? "";
    const requirements = dependency.declarations.map((declaration) =>
      docker.requirement(declaration, { version }, "bump_versions"),
    );
    await using tools = workshop();
    const changes = [{ dependency, to: { version }, requirements }];
    const edit = await docker.update({ sources, settings: { registries: [] }, changes }, tools);
    t.is(edit.files.get("Dockerfile"), after);
  });

withRegistry("images that share a tag skip a version that one of them lacks", async (t) => {
  await using registry = await ociRegistry();
  await using tools = workshop();
  for (const tag of ["1.0", "1.1", "1.2"]) await registry.push("acme/a", tag);
  for (const tag of ["1.0-slim", "1.1-slim", "1.3-slim"]) await registry.push("acme/b", tag);
  const text = (version: string, host = registry.host): string =>
    `ARG V=${version}\nFROM ${host}/acme/a:$V AS x\nFROM ${host}/acme/b:${"$"}{V}-slim AS y\nFROM ${host}/acme/a:$V\n`;
  const sources = repository({ Dockerfile: text("1.0") });
  const found = await decisions(sources, tools);
  const changes = found.flatMap((one) => (one.kind === "update" ? [one.change] : []));
  t.deepEqual(
    changes.map(({ to }) => to.version),
    ["1.1", "1.1-slim"],
  );
  const edit = await docker.update({ sources, settings: { registries: [] }, changes }, tools);
  t.is(edit.files.get("Dockerfile"), text("1.1"));
  const split = "ARG V=1\nFROM a.example/x:$V\nFROM b.example/y:$V\n";
  const { dependencies } = docker.parse(repository({ Dockerfile: split }), { registries: [] });
  t.deepEqual(
    dependencies.map(({ origin }) => (origin.kind === "none" ? origin.why : "")),
    [
      "a.example/x shares its version with b.example/y, which is in another registry.",
      "b.example/y shares its version with a.example/x, which is in another registry.",
    ],
  );
});

test("images with the same argument in their tags move together; braces in a string are no template", (t) => {
  const { dependencies, broken } = docker.parse(
    repository({
      Dockerfile: "ARG V=20\nFROM node:$V AS a\nFROM node:${V}-slim\nFROM alpine:3\n",
      "compose.yaml": `services:\n  a:\n    image: redis:7\n    labels: { x: "{{.Node.Hostname}}" }\n`,
      "chart.yaml": "kind: {{ .Values.kind }}\n  x: - y\n",
    }),
    { registries: [] },
  );
  t.deepEqual(
    dependencies.map(({ name, together }) => [name, together]),
    [
      ["node", "Dockerfile:6"],
      ["node", "Dockerfile:6"],
      ["alpine", undefined],
      ["redis", undefined],
    ],
  );
  t.deepEqual(broken, []);
});
