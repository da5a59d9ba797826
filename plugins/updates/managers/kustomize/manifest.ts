/** The images, remote bases and charts of kustomizations, in the directory and below. */
import { posix } from "node:path";
import semver from "semver";
import { isMap, isSeq, type YAMLMap } from "yaml";
import { UpdatesError } from "../../errors.js";
import { readYaml, scalarText } from "../../text/yaml.js";
import { type BrokenFiles, readOrReport } from "../broken-files.js";
import type {
  Declaration,
  Dependency,
  ManagerSettings,
  ParsedProject,
  ProjectSources,
  RepositoryPath,
} from "../contract.js";
import { tagOffset } from "../docker/manifest/image.js";
import { type FoundImage, imageDependencies } from "../docker/manifest/parse.js";
import { chartOrigin } from "../helm/manifest/parse.js";
import { filePaths, insideOf } from "../paths.js";
import {
  type FoundReference,
  readReference,
  referenceDependencies,
} from "../references/manifest.js";
import { nameOfRepository } from "../source.js";
import { readRemote } from "./remote.js";

const FILE = /(^|\/)(kustomization\.ya?ml|Kustomization)$/;

export function kustomizeWanted(sources: ProjectSources): readonly RepositoryPath[] {
  const root = insideOf(sources.directory);
  return filePaths(sources).filter(
    (path) => FILE.test(path) && (root === "" || !posix.relative(root, path).startsWith("../")),
  );
}

interface Contents {
  readonly file: RepositoryPath;
  /** Of the file. */
  readonly text: string;
  readonly root: YAMLMap;
}

export function kustomizeParse(sources: ProjectSources, settings: ManagerSettings): ParsedProject {
  const broken: BrokenFiles = [];
  const contents = kustomizeWanted(sources).flatMap((file) => {
    const text = sources.files.get(file);
    if (text === undefined) return [];
    const root = readOrReport(file, broken, () => mapOf(file, text));
    return root ? [{ file, text, root }] : [];
  });
  const dependencies = [
    ...referenceDependencies(contents.flatMap(remotesOf)),
    ...imagesOf(contents, settings),
    ...chartsOf(contents, settings),
  ];
  return { dependencies, runtime: {}, broken };
}

/** @throws UpdatesError `manifest_unreadable` */
function mapOf(file: RepositoryPath, text: string): YAMLMap {
  const { contents } = readYaml(file, text);
  if (isMap(contents)) return contents;
  throw new UpdatesError(
    "manifest_unreadable",
    `${file} is no map with the fields of a kustomization.`,
  );
}

const itemsOf = (root: YAMLMap, key: string): readonly unknown[] => {
  const list = root.get(key);
  return isSeq(list) ? list.items : [];
};

function remotesOf({ file, text, root }: Contents): readonly FoundReference[] {
  return ["resources", "bases", "components"].flatMap((section) =>
    itemsOf(root, section).flatMap((item) => {
      const written = scalarText(item, text);
      const remote = written && readRemote(written.value);
      if (!remote) return [];
      const { url, reference, at } = remote;
      const start = written.range.start + at;
      const range = { start, end: start + reference.length };
      const name = nameOfRepository(url);
      return [readReference({ name, origin: { kind: "git", url }, file, text, range, section })];
    }),
  );
}

function imagesOf(contents: readonly Contents[], settings: ManagerSettings): readonly Dependency[] {
  const found: FoundImage[] = [];
  /** By the file and the start of the tag. */
  const digests = new Map<string, Declaration>();
  for (const { file, text, root } of contents)
    for (const item of itemsOf(root, "images")) {
      if (!isMap(item)) continue;
      const name = item.get("newName") ?? item.get("name");
      const tag = scalarText(item.get("newTag", true), text);
      const digest = scalarText(item.get("digest", true), text);
      if (typeof name !== "string" || !(tag ?? digest)) continue;
      const image = `${name}${tag ? `:${tag.value}` : ""}${digest ? `@${digest.value}` : ""}`;
      const range = tag?.range ?? digest?.range ?? { start: 0, end: 0 };
      // A name with a tag of its own is none for kustomize.
      if (tagOffset(name) <= name.length) continue;
      found.push({ file, text, reference: { image, range, section: "images" } });
      if (tag && digest)
        digests.set(`${file}:${range.start}`, {
          ...{ file, range: digest.range, requirement: digest.value },
          ...{ section: "digest", development: false },
        });
    }
  return imageDependencies(found, settings).map((dependency) => ({
    ...dependency,
    declarations: dependency.declarations.flatMap((declaration) => {
      const digest = digests.get(`${declaration.file}:${declaration.range.start}`);
      return digest ? [declaration, digest] : [declaration];
    }),
  }));
}

/** The fields of `helmCharts`, and of the older `helmChartInflationGenerator`. */
const CHARTS = [
  { list: "helmCharts", name: "name", repo: "repo", version: "version" },
  {
    ...{ list: "helmChartInflationGenerator", name: "chartName", repo: "chartRepoUrl" },
    version: "chartVersion",
  },
] as const;

function chartsOf(contents: readonly Contents[], settings: ManagerSettings): readonly Dependency[] {
  const found = contents.flatMap(({ file, text, root }) =>
    CHARTS.flatMap((fields) =>
      itemsOf(root, fields.list).flatMap((item) => {
        if (!isMap(item)) return [];
        const [name, repository] = [item.get(fields.name), item.get(fields.repo)];
        const version = scalarText(item.get(fields.version, true), text);
        if (typeof name !== "string" || typeof repository !== "string" || !version) return [];
        return [{ file, name, repository, version: { text: version.value, range: version.range } }];
      }),
    ),
  );
  const groups = Map.groupBy(
    found,
    ({ name, repository, version }) => `${name}@${repository}@${version.text}`,
  );
  return [...groups].map(([id, group]): Dependency => {
    const [first] = group as [(typeof group)[number], ...typeof group];
    const { name, version } = first;
    const { origin, extra } = chartOrigin(first, settings);
    const isExact = semver.valid(version.text) !== null;
    return {
      ...{ id, name, extra, development: false },
      origin: isExact
        ? origin
        : { kind: "none", why: `${name} follows the range ${version.text}.` },
      declarations: group.map(({ file, version: { text: requirement, range } }) => ({
        ...{ file, range, requirement, section: "helmCharts", development: false },
      })),
      current: isExact ? version.text : undefined,
    };
  });
}
