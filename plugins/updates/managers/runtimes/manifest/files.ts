/** The files that name versions of runtimes, in the directory of a configuration and below. */
import { posix } from "node:path";
import type { ProjectSources, RepositoryPath } from "../../contract.js";
import { filePaths, insideOf } from "../../paths.js";
import type { FoundVersion } from "./found.js";
import { ofCompose, ofDockerfile } from "./image-files.js";
import { ofGlobalJson, ofPackageJson } from "./json-files.js";
import {
  ofFirstWord,
  ofGoMod,
  ofMise,
  ofRuntimeTxt,
  ofRustToolchain,
  ofToolVersions,
} from "./version-files.js";

type Reader = (file: RepositoryPath, text: string) => readonly FoundVersion[];

/** By the end of the path. */
const readers: ReadonlyArray<readonly [file: RegExp, reader: Reader]> = [
  [/(^|\/)\.(nvmrc|node-version)$/, ofFirstWord("node", "version")],
  [/(^|\/)\.python-version$/, ofFirstWord("python", "version")],
  [/(^|\/)\.ruby-version$/, ofFirstWord("ruby", "version")],
  [/(^|\/)\.java-version$/, ofFirstWord("java", "version")],
  [/(^|\/)\.go-version$/, ofFirstWord("go", "version")],
  [/(^|\/)\.tool-versions$/, ofToolVersions],
  [/(^|\/)\.?mise(\/config)?(\.\w+)?\.toml$/, ofMise],
  [/(^|\/)runtime\.txt$/, ofRuntimeTxt],
  [/(^|\/)go\.mod$/, ofGoMod],
  [/(^|\/)rust-toolchain(\.toml)?$/, ofRustToolchain],
  [/(^|\/)package\.json$/, ofPackageJson],
  [/(^|\/)global\.json$/, ofGlobalJson],
  [/(^|\/)([\w.-]+[._-])?(docker|container)file([._-][\w.-]*)?$/i, ofDockerfile],
  [/(^|\/)(docker-)?compose([._-][\w.-]*)?\.ya?ml$/i, ofCompose],
];

/** Packages of others, which their own files describe. */
const FOREIGN = /(^|\/)(node_modules|vendor|third_party|testdata|\.git)\//;

export const readerOf = (file: RepositoryPath): Reader | undefined =>
  readers.find(([end]) => end.test(file))?.[1];

export function runtimesWanted(sources: ProjectSources): readonly RepositoryPath[] {
  const root = insideOf(sources.directory);
  return filePaths(sources).filter((path) => {
    const inside = root === "" ? path : posix.relative(root, path);
    return !inside.startsWith("../") && !FOREIGN.test(inside) && readerOf(path) !== undefined;
  });
}
