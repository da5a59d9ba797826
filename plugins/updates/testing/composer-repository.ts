/** A PHP package repository with Composer's protocol, and `composer` itself as its client. */
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { zipSync } from "fflate";
import { answer, identity, type Served, source } from "../../../tests/support/answers.js";
import { outputOf } from "../../../tests/support/child.js";
import { closed, listening, urlOf } from "./server.js";

export interface ComposerRepository extends AsyncDisposable, Served {
  /** `more`: further fields of the package's composer.json, and of the repository. */
  publish(name: string, version: string, more?: Readonly<Record<string, unknown>>): void;
  /** Serves one page with all packages, as static repositories do. */
  plain: boolean;
  /** The credential that every request needs. */
  authorization?: string;
}

type Version = Readonly<Record<string, unknown>>;

/** `title`: of the test; its address is the same in each run. */
export async function composerRepository(title?: string): Promise<ComposerRepository> {
  const packages = new Map<string, Version[]>();
  const zips = new Map<string, Uint8Array>();
  const server = createServer(({ url = "", headers }, response) => {
    const { authorization } = repository;
    if (authorization !== undefined && headers.authorization !== authorization) {
      response.writeHead(401).end();
      return;
    }
    const [, name = ""] = /^\/p2\/(.+)\.json$/.exec(url) ?? [];
    const zip = zips.get(url);
    const versions = packages.get(name);
    const answer =
      url === "/packages.json"
        ? front()
        : versions && { minified: "composer/2.0", packages: { [name]: minified(versions) } };
    if (zip) response.end(zip);
    else if (answer) response.end(JSON.stringify(answer));
    else response.writeHead(404).end();
  });
  await listening(server, title);
  const address = urlOf(server);
  const front = (): object =>
    repository.plain
      ? {
          packages: Object.fromEntries(
            [...packages].map(([name, list]) => [
              name,
              Object.fromEntries(list.map((one) => [String(one.version), one])),
            ]),
          ),
        }
      : { packages: [], "metadata-url": "/p2/%package%.json", "notify-batch": "/downloads/" };
  const repository: ComposerRepository = {
    url: address,
    get published() {
      return [source(import.meta.url), repository.plain, ...packages];
    },
    plain: false,
    publish: (name, version, more = {}) => {
      const path = `/zip/${name}/${version}.zip`;
      const own = { name, version, ...more };
      zips.set(
        path,
        zipSync({
          "code/composer.json": Buffer.from(JSON.stringify(own)),
          "code/X.php": Buffer.from(`<?php const X = "${version}";\n`),
        }),
      );
      const whole = {
        name,
        description: `A package for ${version}, größer / ☃`,
        keywords: ["b", "a"],
        homepage: "",
        version,
        version_normalized: `${version.replace(/^v/, "")}.0`,
        license: ["MIT"],
        authors: [{ name: "A", email: "a@example.test" }],
        source: {
          type: "git",
          url: `https://example.test/${name}.git`,
          reference: version.padEnd(40, "0"),
        },
        dist: {
          type: "zip",
          url: `${address}${path}`,
          reference: version.padEnd(40, "0"),
          shasum: "",
        },
        type: "library",
        support: { source: `https://example.test/${name}/tree/${version}` },
        time: "2026-01-02T03:04:05+00:00",
        autoload: { "psr-4": { "Acme\\": "src/" }, files: ["X.php"] },
        ...more,
      };
      packages.set(name, [whole, ...(packages.get(name) ?? [])]);
    },
    [Symbol.asyncDispose]: () => closed(server),
  };
  return repository;
}

/** Minified metadata: each version has only the fields that differ from the previous one. */
function minified(versions: readonly Version[]): readonly Version[] {
  return versions.map((version, index) => {
    const last = versions[index - 1];
    if (!last) return version;
    const same = (key: string): boolean =>
      JSON.stringify(last[key]) === JSON.stringify(version[key]);
    return Object.fromEntries([
      ...Object.entries(version).filter(([key]) => !same(key)),
      ...Object.keys(last)
        .filter((key) => !(key in version))
        .map((key) => [key, "__unset"]),
    ]);
  });
}

type Texts = Readonly<Record<string, string>>;

/** The files of a project after each `composer` command with what this repository has published. */
export const composed = (
  { published }: ComposerRepository,
  files: Texts,
  ...commands: readonly (readonly string[])[]
): Promise<Texts> =>
  answer([identity("composer"), identity("php"), published, files, commands], () =>
    composer(files, ...commands),
  );

/** The files of a project after each `composer` command. */
export async function composer(
  files: Texts,
  ...commands: readonly (readonly string[])[]
): Promise<Texts> {
  const directory = await mkdtemp(join(tmpdir(), "reeve-composer-"));
  try {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(directory, name)), { recursive: true });
      await writeFile(join(directory, name), text);
    }
    const env = {
      PATH: process.env.PATH,
      HOME: directory,
      COMPOSER_HOME: join(directory, ".composer"),
      COMPOSER_ALLOW_SUPERUSER: "1",
      COMPOSER_NO_INTERACTION: "1",
    };
    for (const command of commands)
      await outputOf(
        command[0] === "php" ? "php" : "composer",
        command[0] === "php" ? command.slice(1) : [...command, "--no-ansi"],
        { cwd: directory, env },
      );
    const manifests = Object.keys(files).filter((name) => basename(name) === "composer.json");
    const locks = manifests
      .map((name) => join(dirname(name), "composer.lock"))
      .filter((name) => existsSync(join(directory, name)));
    const names = new Set([...Object.keys(files), ...locks]);
    const read = await Promise.all(
      [...names].map(
        async (name) => [name, await readFile(join(directory, name), "utf8")] as const,
      ),
    );
    return Object.fromEntries(read);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** A project with this repository only. */
export const composerProject = (
  { url }: ComposerRepository,
  require: Readonly<Record<string, string>>,
  more: Readonly<Record<string, unknown>> = {},
): string =>
  `${JSON.stringify(
    {
      name: "acme/app",
      repositories: [{ type: "composer", url }, { "packagist.org": false }],
      require,
      ...more,
      config: { "secure-http": false },
    },
    null,
    4,
  )}\n`;
