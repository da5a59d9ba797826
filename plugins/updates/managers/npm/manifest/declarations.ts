/** Reads the declarations of a project's manifests. */
import semver from "semver";
import { isMap } from "yaml";
import { readJson } from "../../../text/json.js";
import { readYaml, scalarText } from "../../../text/yaml.js";
import type { Declaration, DependencyOrigin, RepositoryPath } from "../../contract.js";

/** One declaration and the package it is about. */
export interface Declared {
  /** The project's spelling. */
  readonly declaredAs: string;
  readonly name: string;
  readonly declaration: Declaration;
  /** Undefined: the default registry of the name. */
  readonly origin?: Extract<DependencyOrigin, { kind: "none" }>;
}

const SECTIONS: ReadonlyArray<readonly [section: string, development: boolean]> = [
  ["dependencies", false],
  ["devDependencies", true],
  ["optionalDependencies", false],
];

/** @throws UpdatesError `manifest_unreadable` */
export function fromPackageJson(file: RepositoryPath, text: string): readonly Declared[] {
  const json = readJson(file, text);
  const catalogs = json.keys("workspaces", "catalogs");
  const sites = [
    ...SECTIONS.map(([section, development]) => ({ path: [section], development })),
    ...[["workspaces", "catalog"], ...catalogs.map((name) => ["workspaces", "catalogs", name])].map(
      (path) => ({ path, development: false }),
    ),
  ];
  const direct = sites.flatMap(({ path, development }) =>
    json.texts(...path).map(({ key, value, range }) => {
      const raw = text.slice(range.start, range.end);
      const section = path.join(".");
      return declared(
        { file, section, development, written: "json", key, value, range },
        raw === value,
      );
    }),
  );
  return [...direct, ...overrides(direct)];

  /** Of a package that is also declared: both move, as npm rejects different ones. */
  function overrides(all: readonly Declared[]): readonly Declared[] {
    return OVERRIDES.flatMap((path) =>
      json.texts(...path).flatMap(({ key: written, value, range }) => {
        const key = overriddenName(written);
        const same = all.find(({ declaredAs }) => declaredAs === key);
        if (key === undefined || same?.origin) return [];
        const section = path.join(".");
        const development = same?.declaration.development ?? false;
        const literal = text.slice(range.start, range.end) === value;
        const site = { file, section, development, written: "json", key, value, range } as const;
        return [declared(site, literal)];
      }),
    );
  }
}

const OVERRIDES = [["overrides"], ["resolutions"], ["pnpm", "overrides"]];

/** Undefined for an override below one dependent, or of some versions: `a>b`, `a/b`, `b@^1`. */
const overriddenName = (key: string): string | undefined =>
  /^(?:\*\*\/)?((?:@[\w.-]+\/)?[\w.-]+)$/.exec(key)?.[1];

/** Catalogs of pnpm-workspace.yaml and .yarnrc.yml, and overrides of the former. @throws UpdatesError `manifest_unreadable` */
export function fromCatalogs(file: RepositoryPath, text: string): readonly Declared[] {
  const document = readYaml(file, text);
  const named = document.get("catalogs");
  const sites: [string, unknown][] = [
    ["catalog", document.get("catalog")],
    ["overrides", document.get("overrides")],
    ...(isMap(named)
      ? named.items.map(({ key, value }): [string, unknown] => [`catalogs.${key}`, value])
      : []),
  ];
  return sites.flatMap(([section, map]) =>
    isMap(map)
      ? map.items.flatMap(({ key, value }) => {
          const scalar = scalarText(value, text);
          const name = section === "overrides" ? overriddenName(String(key)) : String(key);
          if (!scalar || name === undefined) return [];
          const written = scalar.plain ? "yaml" : "quoted";
          return [
            declared(
              {
                file,
                section,
                development: false,
                written,
                key: name,
                value: scalar.value,
                range: scalar.range,
              },
              true,
            ),
          ];
        })
      : [],
  );
}

interface DeclarationSite {
  readonly file: RepositoryPath;
  readonly section: string;
  readonly development: boolean;
  readonly written: "json" | "yaml" | "quoted";
  readonly key: string;
  readonly value: string;
  readonly range: Declaration["range"];
}

/** `literal`: the text has the value without escapes. */
function declared(site: DeclarationSite, literal: boolean): Declared {
  const { file, section, development, written, key, value, range } = site;
  const extra = { written };
  const whole: Declaration = { file, section, development, range, requirement: value, extra };
  const [, target = ""] = /^npm:(.*)$/.exec(value) ?? [];
  if (target !== "") {
    // `npm:^1.2.3` names the protocol only.
    const [, name = key, version] =
      semver.validRange(target) === null
        ? (/^(@?[^@]+)@(.+)$/.exec(target) ?? [undefined])
        : [undefined, key, target];
    if (!literal || version === undefined)
      return {
        declaredAs: key,
        name,
        declaration: whole,
        origin: nothing(`The range of ${key} cannot be edited.`),
      };
    const start = range.end - version.length;
    const declaration = { ...whole, requirement: version, range: { start, end: range.end } };
    return { declaredAs: key, name, declaration };
  }
  const why = elsewhere(key, value);
  return {
    declaredAs: key,
    name: key,
    declaration: whole,
    ...(why ? { origin: nothing(why) } : {}),
  };
}

const nothing = (why: string) => ({ kind: "none", why }) as const;

/** Why a requirement has no registry. */
function elsewhere(name: string, value: string): string | undefined {
  if (value.startsWith("workspace:")) return `${name} is a workspace of this repository.`;
  if (value.startsWith("catalog:")) return `${name} takes its version from a catalog.`;
  if (/^(file|link|portal|patch|exec|\.{0,2}\/|~\/)/.test(value))
    return `${name} comes from a path.`;
  if (
    /^(git[+:@]|ssh:|github:|gitlab:|bitbucket:|gist:|[\w.-]+\/[\w.-]+(#|$))/.test(value) ||
    /\.git(#|$)/.test(value)
  )
    return `${name} comes from a git repository.`;
  if (/^https?:/.test(value)) return `${name} comes from the address of a file.`;
  if (value.startsWith("$")) return `${name} follows what the project itself requires.`;
  return undefined;
}
