/** A package index of wheels for pip, Poetry, PDM and Pipenv: the simple API as JSON and as HTML, with metadata files. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { zipSync } from "fflate";
import { answer, identity, type Served, source } from "../../../tests/support/answers.js";
import { outputOf } from "../../../tests/support/child.js";
import { closed, listening, urlOf } from "./server.js";

interface PublishedWheel {
  /** In metadata syntax: `urllib3 (>=1.21,<3)`. */
  readonly requires?: readonly string[];
  readonly summary?: string;
  readonly python?: string;
  readonly yanked?: boolean;
  readonly code?: string;
}

interface ServedFile {
  readonly filename: string;
  readonly body: Buffer;
  readonly sha256: string;
  readonly python: string | undefined;
  readonly yanked: boolean;
}

/** Its URL is that of the simple API, without a trailing slash. */
export interface PythonIndex extends AsyncDisposable, Served {
  /** Publishes a wheel, and a second one for another platform. */
  publish(name: string, version: string, more?: PublishedWheel): void;
}

/** Listens on a UNIX socket; a proxy forwards requests for `url` to it. */
interface Behind {
  readonly socket: string;
  readonly url: string;
}

interface IndexOptions {
  readonly behind?: Behind;
  /** Of the test: its address is the same in each run. */
  readonly title?: string;
  /** The credential that every request needs: `ann:secret`. */
  readonly login?: string;
}

export async function pythonIndex({
  login,
  behind,
  title,
}: IndexOptions = {}): Promise<PythonIndex> {
  const published: unknown[] = [source(import.meta.url)];
  const packages = new Map<string, ServedFile[]>();
  const bodies = new Map<string, Buffer>();
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "", "http://localhost").pathname;
    const known = login === undefined || request.headers.authorization === basic(login);
    if (!known) return response.writeHead(401, { "www-authenticate": "Basic" }).end();
    const body = bodies.get(path);
    if (body) return response.end(body);
    const [, name = ""] = /^\/simple\/([^/]+)\/$/.exec(path) ?? [];
    const files = packages.get(name);
    if (!files) return response.writeHead(404).end();
    if (request.headers.accept?.includes("v1+json"))
      return response
        .setHeader("content-type", "application/vnd.pypi.simple.v1+json")
        .end(JSON.stringify(asJson(name, files)));
    return response.setHeader("content-type", "text/html").end(asPage(files));
  });
  if (behind) await once(server.listen(behind.socket), "listening");
  else await listening(server, title);
  const at = behind?.url ?? urlOf(server);
  return {
    url: `${at}/simple`,
    published,
    publish: (name, version, more = {}) => {
      published.push([name, version, more]);
      const served = packages.get(name) ?? [];
      packages.set(name, served);
      for (const tag of ["py3-none-any", "cp27-cp27m-win32"]) {
        const filename = `${name.replaceAll("-", "_")}-${version}-${tag}.whl`;
        const { body, metadata } = wheel(name, version, tag, more);
        served.push({
          ...{ filename, body, python: more.python, yanked: more.yanked === true },
          sha256: createHash("sha256").update(body).digest("hex"),
        });
        bodies.set(`/files/${filename}`, body);
        bodies.set(`/files/${filename}.metadata`, Buffer.from(metadata));
      }
    },
    [Symbol.asyncDispose]: () => closed(server),
  };
}

const basic = (login: string): string => `Basic ${Buffer.from(login).toString("base64")}`;

function wheel(name: string, version: string, tag: string, more: PublishedWheel) {
  const { requires = [], summary = "A thing", python, code = "x = 1\n" } = more;
  const extras = new Set(requires.flatMap((each) => /extra == ['"]([\w-]+)/.exec(each)?.[1] ?? []));
  const metadata = [
    ...["Metadata-Version: 2.1", `Name: ${name}`, `Version: ${version}`, `Summary: ${summary}`],
    ...(python === undefined ? [] : [`Requires-Python: ${python}`]),
    ...[...extras].map((extra) => `Provides-Extra: ${extra}`),
    ...requires.map((each) => `Requires-Dist: ${each}`),
    "",
    "",
  ].join("\n");
  const bare = name.replaceAll("-", "_");
  const info = `${bare}-${version}.dist-info`;
  const files: Record<string, string> = {
    [`${bare}.py`]: code,
    [`${info}/METADATA`]: metadata,
    [`${info}/WHEEL`]: `Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: ${tag}\n`,
  };
  const record = [...Object.keys(files), `${info}/RECORD`].map((path) => `${path},,\n`).join("");
  const zipped = zipSync(
    Object.fromEntries(
      Object.entries({ ...files, [`${info}/RECORD`]: record }).map(([path, text]) => [
        path,
        Buffer.from(text),
      ]),
    ),
    { mtime: new Date("2026-01-01T00:00:00") },
  );
  return { body: Buffer.from(zipped), metadata };
}

const asJson = (name: string, files: readonly ServedFile[]) => ({
  meta: { "api-version": "1.1" },
  name,
  files: files.map(({ filename, sha256, python, yanked, body }) => ({
    filename,
    url: `../../files/${filename}`,
    hashes: { sha256 },
    size: body.length,
    "upload-time": "2026-01-02T03:04:05.678901Z",
    yanked,
    "core-metadata": true,
    ...(python === undefined ? {} : { "requires-python": python }),
  })),
});

const asPage = (files: readonly ServedFile[]): string =>
  `<!DOCTYPE html><html><body>\n${files
    .map(({ filename, sha256, python, yanked }) => {
      const more = `${python === undefined ? "" : ` data-requires-python="${python.replaceAll(">", "&gt;").replaceAll("<", "&lt;")}"`}${yanked ? ' data-yanked=""' : ""}`;
      return `<a href="../../files/${filename}#sha256=${sha256}"${more}>${filename}</a><br/>\n`;
    })
    .join("")}</body></html>\n`;

type Code = Readonly<Record<string, string>>;

const PATH = `/usr/bin:${process.env.PATH}`;

let kept: string | undefined;

/** Where Pipenv keeps its environment, which takes longer to make than a lock file. Gone with the process. */
function environments(): string {
  if (kept === undefined) {
    const made = mkdtempSync(join(tmpdir(), "reeve-pipenv-"));
    process.once("exit", () => rmSync(made, { recursive: true, force: true }));
    kept = made;
  }
  return kept;
}

/** A lock file needs an environment with Python alone, and Pipenv installs with a pip of its own: no package is copied into it. */
export const bareEnvironments = {
  VIRTUALENV_NO_PIP: "1",
  VIRTUALENV_NO_SETUPTOOLS: "1",
  VIRTUALENV_NO_WHEEL: "1",
};

/** The same as `inPython` with what this index has published. */
export const inPythonWith = (
  { published }: PythonIndex,
  files: Code,
  ...commands: readonly (readonly string[])[]
): Promise<Code> => {
  const programs = commands.map(([program = ""]) => identity(program, PATH));
  return answer([programs, identity("python3", PATH), published, files, commands], () =>
    inPython(files, ...commands),
  );
};

/** The files of a directory after each of these commands. Uses the programs of the system. */
export async function inPython(
  files: Code,
  ...commands: readonly (readonly string[])[]
): Promise<Code> {
  const directory = await mkdtemp(join(tmpdir(), "reeve-python-"));
  try {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(directory, name)), { recursive: true });
      await writeFile(join(directory, name), text);
    }
    const env = {
      PATH,
      HOME: join(directory, ".home"),
      POETRY_VIRTUALENVS_CREATE: "false",
      PYTHON_KEYRING_BACKEND: "keyring.backends.null.Keyring",
      PIP_DISABLE_PIP_VERSION_CHECK: "1",
      PIPENV_VERBOSITY: "-1",
      PIPENV_CUSTOM_VENV_NAME: "shared",
      WORKON_HOME: environments(),
      ...bareEnvironments,
      PDM_CHECK_UPDATE: "0",
      PDM_USE_VENV: "0",
    };
    for (const [program = "", ...args] of commands)
      await outputOf(program, args, { cwd: directory, env });
    const names = [...new Set([...Object.keys(files), "poetry.lock", "pdm.lock", "Pipfile.lock"])];
    const read = names.map(
      async (name) =>
        [name, await readFile(join(directory, name), "utf8").catch(() => "")] as const,
    );
    return Object.fromEntries((await Promise.all(read)).filter(([, text]) => text !== ""));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
