/** Terraform, OpenTofu and Terragrunt: providers, modules of registries and of git, charts of Helm, the lock file of providers. */
import { jsonEscaped } from "../../text/json.js";
import type { Dependency, Tools, UpdateRequest, VersionChange } from "../contract.js";
import { defineManager, type PartialEdit } from "../define.js";
import { editManifests } from "../edit.js";
import { helm } from "../helm/manager.js";
import { refreshLock } from "../lock/refresh.js";
import { gitSource, repositoryAddress } from "../source.js";
import { moveLocked, type ProviderMove } from "./lockfile.js";
import { terraformLockFile, terraformParse, terraformWanted } from "./manifest/parse.js";
import { isJson } from "./manifest/read.js";
import { terraformAvailable } from "./registry.js";
import { terraformRequirement, terraformVersioning } from "./versions.js";

export const terraform = defineManager({
  id: "terraform",
  missing: "Repo must contain a .tf, .tofu, or terragrunt.hcl file.",
  versioning: terraformVersioning,
  filesToRead: terraformWanted,
  parse: terraformParse,
  normalize: normalise,
  available: (dependency, lookup, fields) =>
    isChart(dependency)
      ? helm.available(dependency, lookup, fields)
      : terraformAvailable(dependency, lookup),
  comparable: ({ current, extra }, { releases }) =>
    extra?.kind === "chart"
      ? releases.filter(({ version }) => terraformVersioning.isVersion(version))
      : extra?.kind === "git"
        ? releases.filter(({ version }) => version.startsWith("v") === current?.startsWith("v"))
        : releases,
  strategy: () => "bump_versions_if_necessary",
  source: async (dependency, release, lookup) =>
    isChart(dependency) ? helm.source?.(dependency, release, lookup) : gitSource(dependency),
  // The reference of a git module is a plain tag.
  requirement: (declaration, release, strategy) => {
    const { requirement, extra } = declaration;
    if (extra?.kind === "chart") return helm.requirement(declaration, release, strategy);
    return extra?.kind === "git"
      ? release.version
      : terraformRequirement(requirement, release.version, strategy);
  },
  update,
});

const isChart = ({ extra }: Dependency): boolean => extra?.kind === "chart";

/** Registry addresses in lower case, git addresses in the form that git opens. */
function normalise(name: string): string {
  const text = name.trim();
  if (/^(git::|git@|https?:)/.test(text))
    return repositoryAddress(text.replace(/^git::/, "")) ?? text;
  return text.toLowerCase().replace(/^registry\.(terraform\.io|opentofu\.org)\//, "");
}

async function update({ sources, changes }: UpdateRequest, tools: Tools): Promise<PartialEdit> {
  const manifests = editManifests(sources.files, changes, (value, { file }) =>
    isJson(file) ? jsonEscaped(value) : value,
  );
  const file = terraformLockFile(sources);
  const before = sources.files.get(file);
  const moves = changes.flatMap(moveOf);
  if (before === undefined || moves.length === 0) return { files: manifests };
  const { files, lock } = await refreshLock({
    file,
    inProcess: async () => ({
      text: await moveLocked(file, before, moves, tools.lookup),
      by: "the sums of the registry",
    }),
    advice: "terraform init -upgrade",
  });
  return { files: new Map([...manifests, ...files]), lock };
}

function moveOf({ dependency, to, requirements }: VersionChange): readonly ProviderMove[] {
  const { extra = {}, origin, lockedBy, declarations } = dependency;
  if (lockedBy === undefined || origin.kind !== "registry") return [];
  return [
    {
      address: extra.address ?? "",
      registry: origin.url,
      path: extra.path ?? "",
      to: to.version,
      requirements: declarations.map(({ requirement }, index) => [
        requirement,
        requirements[index] ?? requirement,
      ]),
    },
  ];
}
