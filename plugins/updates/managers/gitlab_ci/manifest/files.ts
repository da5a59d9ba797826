/** The files of a pipeline: `.gitlab-ci.yml`, and what it includes from its own repository. */
import { matchesGlob, posix } from "node:path";
import { isMap, isScalar, isSeq, type YAMLMap } from "yaml";
import { UpdatesError } from "../../../errors.js";
import { readYamlStream } from "../../../text/yaml.js";
import type { ProjectSources, RepositoryPath } from "../../contract.js";
import { filePaths, insideOf } from "../../paths.js";

const ROOT = /^(.*[._-])?gitlab-ci\.ya?ml$/;

export function gitlabWanted(sources: ProjectSources): readonly RepositoryPath[] {
  const directory = insideOf(sources.directory) || ".";
  const paths = filePaths(sources);
  const wanted = new Set(
    paths.filter((path) => posix.dirname(path) === directory && ROOT.test(posix.basename(path))),
  );
  // A set is iterated over what is added meanwhile.
  for (const file of wanted) {
    const text = sources.files.get(file);
    const globs = text === undefined ? [] : localsIn(file, text);
    for (const path of paths)
      if (globs.some((glob) => path === glob || matchesGlob(path, glob))) wanted.add(path);
  }
  return [...wanted];
}

/** Paths from the root of the repository; `**.yml` is of all directories. */
function localsIn(file: RepositoryPath, text: string): readonly string[] {
  try {
    return mapsOf(file, text)
      .flatMap(includesOf)
      .flatMap((item) => {
        const local = isMap(item) ? item.get("local") : isScalar(item) ? item.value : undefined;
        if (typeof local !== "string" || /^[a-z]+:\/\/|\$/i.test(local)) return [];
        return [local.replace(/^\/+/, "").replace(/\*\*(?=[^/])/g, "**/*")];
      });
  } catch (error) {
    if (error instanceof UpdatesError) return [];
    throw error;
  }
}

/** The documents of a file: a component has its inputs in the first. @throws UpdatesError `manifest_unreadable` */
export function mapsOf(file: RepositoryPath, text: string): readonly YAMLMap[] {
  return readYamlStream(file, text).flatMap(({ contents }) => {
    if (isMap(contents)) return [contents];
    if (contents === null || (isScalar(contents) && contents.value === null)) return [];
    throw new UpdatesError("manifest_unreadable", `${file} is no map of jobs.`);
  });
}

/** The items of `include`, of the pipeline itself and of those that its jobs trigger. */
export function includesOf(root: YAMLMap): readonly unknown[] {
  const triggers = root.items.map(({ value }) => (isMap(value) ? value.get("trigger") : undefined));
  const includes = [root, ...triggers].map((each) =>
    isMap(each) ? each.get("include", true) : undefined,
  );
  return includes.flatMap((each): readonly unknown[] => {
    if (isSeq(each)) return each.items;
    return each === undefined ? [] : [each];
  });
}
