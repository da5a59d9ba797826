/** A mix.exs, and a registry that has 40 versions of everything. */
import { hexPackage } from "../../../plugins/updates/testing/hex-package.js";
import { names, type Specimen, VERSIONS } from "../specimen.js";

const releases = VERSIONS.map((version) => ({ version, needs: [] }));

export const hex: Specimen = {
  manager: "hex",
  // What the public one signs is verified.
  registries: [{ manager: "hex", url: "https://hex.example.test" }],
  files: (count) => ({
    "mix.exs": `defmodule App.MixProject do
  use Mix.Project

  def project, do: [app: :app, version: "0.1.0", deps: deps()]

  defp deps do
    [
${names(count)
  .map((name, index) =>
    index % 2
      ? `      {:${name.replace("-", "_")}, "1.0.0"}`
      : `      {:${name.replace("-", "_")}, "~> 1.0.0", only: [:dev, :test], runtime: false}`,
  )
  .join(",\n")}
    ]
  end
end
`,
  }),
  answer: (url) => hexPackage(url.split("/").at(-1) ?? "", releases),
};
