/** The runtimes, a row each: their names in files and images, and where their versions come from. */
import { readImage } from "../docker/manifest/image.js";

/** Tags of a repository, or the versions of a package. The first group of `form` is the version. */
type RuntimeSource =
  | { readonly kind: "tags"; readonly url: string; readonly form: RegExp }
  | {
      readonly kind: "package";
      /** A source of patterns: `npm`, `docker`, `go`. */
      readonly source: string;
      readonly name: (version: string) => string;
      /** A version of the package, for its manifest. */
      readonly example: (version: string) => string;
      readonly form: RegExp;
    };

export interface Runtime {
  readonly source: RuntimeSource;
  /** Other names in files and announcements. */
  readonly aliases?: readonly string[];
  /** Text before the numbers, beside `v` and the names with a dash. */
  readonly prefixes?: readonly string[];
  /** Names of images whose tags start with its version. */
  readonly images?: readonly string[];
  /** How many numbers name a line of releases. @default 1 */
  readonly line?: 1 | 2;
  /** Is `next` for users of `current`? */
  readonly offers?: (next: readonly number[], current: readonly number[]) => boolean;
}

const tags = (repository: string, form: RegExp): RuntimeSource => ({
  ...{ kind: "tags", url: `https://github.com/${repository}`, form },
});

const npm = (name: string | ((version: string) => string)): RuntimeSource => ({
  ...{ kind: "package", source: "npm", form: /^(\d+(?:\.\d+)*)$/ },
  name: typeof name === "string" ? () => name : name,
  example: () => "1.0.0",
});

const NUMBERS = /^v?(\d+(?:\.\d+)+)$/;

/** Versions with long-term support: 8, 11, 17, and each fourth from 21 on. */
const isLongTerm = (major = 0): boolean =>
  [8, 11, 17].includes(major) || (major >= 21 && major % 4 === 1);

/** The third number of an SDK names a band: `8.0.4xx`. */
const bandOf = ([major, minor, patch = 0]: readonly number[]): string =>
  [major, minor, Math.floor(patch / 100)].join(".");

const runtimes: Readonly<Record<string, Runtime>> = {
  bun: {
    source: tags("oven-sh/bun", /^(?:bun-)?v(\d+(?:\.\d+)+)$/),
    images: ["oven/bun"],
  },
  deno: { source: tags("denoland/deno", NUMBERS), images: ["denoland/deno"] },
  "dotnet-sdk": {
    source: tags("dotnet/sdk", NUMBERS),
    aliases: ["dotnet", "dotnet-core"],
    images: ["mcr.microsoft.com/dotnet/sdk"],
    offers: (next, current) => current.length < 3 || bandOf(next) === bandOf(current),
  },
  elixir: { source: tags("elixir-lang/elixir", NUMBERS), images: ["elixir"], line: 2 },
  erlang: { source: tags("erlang/otp", /^OTP-(\d+(?:\.\d+)*)$/), images: ["erlang"] },
  go: {
    source: {
      ...{ kind: "package", source: "go" },
      name: () => "golang.org/toolchain",
      example: (version) => `v0.0.1-go${version}.linux-amd64`,
      form: /^v0\.0\.1-go(\d+(?:\.\d+)*)\.linux-amd64$/,
    },
    aliases: ["golang"],
    prefixes: ["go"],
    images: ["golang"],
    line: 2,
  },
  java: {
    source: {
      ...{ kind: "package", source: "docker", name: () => "eclipse-temurin" },
      example: (version) => `${version}-jdk`,
      form: /^(\d+(?:\.\d+)*)(?:_\d+)?-jdk$/,
    },
    prefixes: ["temurin-", "openjdk-"],
    images: ["eclipse-temurin", "amazoncorretto", "openjdk"],
    offers: ([next], [current]) => next === current || !isLongTerm(current) || isLongTerm(next),
  },
  node: {
    source: tags("nodejs/node", NUMBERS),
    aliases: ["nodejs"],
    images: ["node"],
    // Odd majors end after half a year.
    offers: ([next = 0], [current]) => next === current || next % 2 === 0,
  },
  npm: { source: npm("npm") },
  php: { source: tags("php/php-src", /^php-(\d+(?:\.\d+)+)$/), images: ["php"], line: 2 },
  pnpm: { source: npm("pnpm") },
  python: {
    source: tags("python/cpython", NUMBERS),
    aliases: ["cpython"],
    images: ["python"],
    line: 2,
  },
  ruby: {
    source: tags("ruby/ruby", /^v(\d+(?:[._]\d+)+)$/),
    images: ["ruby"],
    line: 2,
  },
  rust: { source: tags("rust-lang/rust", NUMBERS), images: ["rust"], line: 2 },
  terraform: {
    source: tags("hashicorp/terraform", NUMBERS),
    images: ["hashicorp/terraform"],
    line: 2,
  },
  yarn: {
    // Yarn 2 and later are another package.
    source: npm((version) => (/^1\./.test(`${version}.`) ? "yarn" : "@yarnpkg/cli-dist")),
  },
};

const byName: ReadonlyMap<string, string> = new Map(
  Object.entries(runtimes).flatMap(([name, { aliases = [] }]) =>
    [name, ...aliases].map((each) => [each, name] as const),
  ),
);

/** The packages that mise installs: `npm:prettier`. */
const backends: Readonly<Record<string, string>> = {
  ...{ npm: "npm", cargo: "crate", gem: "rubygems", pipx: "pypi" },
};

/** The name of a runtime by one of its names; undefined for other tools. */
export const runtimeName = (written: string): string | undefined => {
  const name = written.toLowerCase().replace(/^core:/, "");
  return byName.get(name) ?? (packagedTool(written) ? written : undefined);
};

/** The runtime of a name; a tool that is a package has a row of its own. */
export function runtimeOf(name: string): Runtime | undefined {
  return Object.hasOwn(runtimes, name) ? runtimes[name] : packagedTool(name);
}

function packagedTool(written: string): Runtime | undefined {
  const [, backend = "", name = ""] = /^(\w+):([\w@.+/-]+)$/.exec(written) ?? [];
  const source = Object.hasOwn(backends, backend) ? backends[backend] : undefined;
  if (source === undefined || (source !== "npm" && name.includes("/"))) return undefined;
  return {
    source: {
      ...{ kind: "package", source, name: () => name, form: /^v?(\d+(?:\.\d+)*)$/ },
      example: (version) => version,
    },
  };
}

const byImage: ReadonlyMap<string, string> = new Map(
  Object.entries(runtimes).flatMap(([name, { images = [] }]) =>
    images.map((image) => [image, name] as const),
  ),
);

/** The runtime in an image. Mirrors have the name at the end: `mirror.example.test/library/node`. */
export function runtimeOfImage(image: string): string | undefined {
  const read = readImage(image);
  if (!read) return undefined;
  const official = /(?:^|\/)library\/([\w-]+)$/.exec(read.repository)?.[1];
  return byImage.get(read.name) ?? byImage.get(official ?? "");
}
