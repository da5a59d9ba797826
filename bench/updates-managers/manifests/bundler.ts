/** A Gemfile, and an index that has 40 versions of everything. */
import { names, type Specimen, VERSIONS } from "../specimen.js";

export const gemfile = (count: number, server: string): string =>
  `source "${server}"\n\n${names(count)
    .map((name, index) =>
      index % 2 ? `gem "${name}", "1.0.0"\n` : `gem '${name}', '~> 1.0.0', require: false # keep\n`,
    )
    .join("")}`;

export const bundler: Specimen = {
  manager: "bundler",
  files: (count) => ({ Gemfile: gemfile(count, "https://rubygems.org") }),
  answer: () =>
    `---\n${VERSIONS.map((version) => `${version} |checksum:00,ruby:>= 2.7`).join("\n")}\n`,
};
