/** The dependencies of a chart, as its manifest has them. */
import { isMap, isSeq, type YAMLMap } from "yaml";
import { UpdatesError } from "../../../errors.js";
import type { TextRange } from "../../../text/text.js";
import { readYaml, scalarText } from "../../../text/yaml.js";
import type { RepositoryPath } from "../../contract.js";

/** An entry of `dependencies`. */
export interface ChartDependency {
  readonly name: string;
  readonly repository: string;
  readonly version: { readonly text: string; readonly range: TextRange } | undefined;
  /** All fields, as YAML gives them. */
  readonly fields: Readonly<Record<string, unknown>>;
}

export const keyOf = ({ name, repository, version }: ChartDependency): string =>
  `${repository} ${name} ${version?.text ?? ""}`;

/** @throws UpdatesError `manifest_unreadable` */
export function chartDependencies(file: RepositoryPath, text: string): readonly ChartDependency[] {
  const { contents } = readYaml(file, text);
  if (!isMap(contents))
    throw new UpdatesError("manifest_unreadable", `${file} is no map with the fields of a chart.`);
  const list = contents.get("dependencies");
  if (list === undefined || list === null) return [];
  if (!isSeq(list))
    throw new UpdatesError("manifest_unreadable", `${file} has no list in \`dependencies\`.`);
  return list.items.flatMap((item) => (isMap(item) ? dependencyOf(item, text) : []));
}

function dependencyOf(item: YAMLMap, text: string): readonly ChartDependency[] {
  const fields = item.toJSON() as Readonly<Record<string, unknown>>;
  const { name, repository = "" } = fields;
  if (typeof name !== "string" || typeof repository !== "string") return [];
  const version = scalarText(item.get("version", true), text);
  return [
    {
      ...{ name, repository, fields },
      version: version && { text: version.value, range: version.range },
    },
  ];
}
