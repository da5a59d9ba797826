/** A composer.json, and a repository that has 40 versions of everything. */
import { names, type Specimen, VERSIONS } from "../specimen.js";

const required = (count: number): Readonly<Record<string, string>> =>
  Object.fromEntries(
    names(count).map((name, index) => [`acme/${name}`, index % 2 ? "1.0.0" : "~1.0.0"]),
  );

const name = (url: string): string => /\/p2\/(.+)\.json$/.exec(url)?.[1] ?? "";

export const composer: Specimen = {
  manager: "composer",
  files: (count) => ({
    "composer.json": `${JSON.stringify({ require: required(count) }, null, 4)}\n`,
  }),
  answer: (url) =>
    url.endsWith("/packages.json")
      ? JSON.stringify({ "metadata-url": "/p2/%package%.json" })
      : JSON.stringify({ packages: { [name(url)]: VERSIONS.map((version) => ({ version })) } }),
};
