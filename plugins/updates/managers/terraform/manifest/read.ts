/** Reads the providers and modules of one file, with the ranges of their versions. */
import { type HclBlock, type HclBody, type HclValue, readHcl } from "../../../languages/hcl.js";
import { readJsonBody } from "../../../languages/hcl-json.js";
import type { TextRange } from "../../../text/text.js";

/** A text of a `locals` block. */
export interface LocalText {
  readonly name: string;
  readonly file: string;
  readonly value: HclValue;
}

interface WrittenVersion {
  readonly text: string;
  readonly range: TextRange;
  /** Of a version in a `locals` block, which may be in another file. */
  readonly local?: Pick<LocalText, "name" | "file">;
}

export type LocalTexts = ReadonlyMap<string, LocalText>;

export interface Used {
  readonly kind: "provider" | "module" | "git" | "chart";
  /** `hashicorp/aws`, `registry.acme.example/team/network/aws`; the address of a git module; the repository of a chart. */
  readonly source: string;
  /** Undefined for an expression and for a module without a version; empty for a provider without one. */
  readonly version: WrittenVersion | undefined;
  /** `required_providers.aws`, `module.network`. */
  readonly section: string;
  /** The name of a chart. */
  readonly chart?: string;
}

/** @throws UpdatesError `manifest_unreadable` */
export const readTerraform = (file: string, text: string): HclBody =>
  isJson(file) ? readJsonBody(file, text) : readHcl(file, text);

export const localsIn = (file: string, { blocks }: HclBody): readonly LocalText[] =>
  blocks
    .filter(({ type }) => type === "locals")
    .flatMap(({ body }) => [...body.attributes])
    .map(([name, value]) => ({ name, file, value }));

export const usesIn = ({ blocks }: HclBody, locals: LocalTexts): readonly Used[] =>
  blocks.flatMap((block): readonly Used[] => {
    if (block.type === "terraform")
      return [...providersOf(block.body, locals), ...terragrunt(block.body)];
    if (block.type === "module") return moduleOf(block, locals);
    if (block.type === "resource") return chartOf(block, locals);
    return block.type === "provider" ? legacyProvider(block, locals) : [];
  });

/** `main.tf.json`, `terragrunt.hcl.json`. */
export const isJson = (file: string): boolean => file.endsWith(".json");

const written = (value: HclValue | undefined, locals: LocalTexts): Used["version"] => {
  if (value?.kind === "reference") {
    const local = locals.get(/^local\.([^.]+)$/.exec(value.path)?.[1] ?? "");
    // A local that refers to another local is not followed.
    const found = local?.value.kind === "text" ? written(local.value, locals) : undefined;
    return local && found ? { ...found, local: { name: local.name, file: local.file } } : undefined;
  }
  if (value?.kind !== "text") return undefined;
  if (!value.isPlain)
    return value.value === value.value.trim()
      ? { text: value.value, range: value.range }
      : undefined;
  const lead = value.value.length - value.value.trimStart().length;
  const text = value.value.trim();
  const start = value.range.start + lead;
  return { text, range: { start, end: start + text.length } };
};

const providersOf = ({ blocks }: HclBody, locals: LocalTexts): readonly Used[] =>
  blocks
    .filter(({ type }) => type === "required_providers")
    .flatMap(({ body }) => [...body.attributes])
    .map(([name, value]): Used => {
      const said = value.kind === "object" ? value.members : undefined;
      const source = said?.get("source");
      return {
        kind: "provider",
        source: source?.kind === "text" ? source.value : `hashicorp/${name}`,
        version:
          said && !said.has("version")
            ? anyVersion(source)
            : written(said?.get("version") ?? value, locals),
        section: `required_providers.${name}`,
      };
    });

/** Any version is allowed, and there is no text to edit. */
const anyVersion = (source: HclValue | undefined): Used["version"] =>
  source?.kind === "text"
    ? { text: "", range: { start: source.range.end, end: source.range.end } }
    : undefined;

/** `provider "aws" { version = "~> 2.0" }`, the form before `required_providers`. */
function legacyProvider(
  { labels: [name = ""], body }: HclBlock,
  locals: LocalTexts,
): readonly Used[] {
  const version = written(body.attributes.get("version"), locals);
  return version
    ? [{ kind: "provider", source: `hashicorp/${name}`, version, section: `provider.${name}` }]
    : [];
}

function moduleOf({ labels: [name = ""], body }: HclBlock, locals: LocalTexts): readonly Used[] {
  const source = body.attributes.get("source");
  if (source?.kind !== "text") return [];
  const section = `module.${name}`;
  const git = source.isPlain && gitModule(source.value, source.range.start, section);
  if (git) return [git];
  const [address = ""] = source.value.split("//");
  const version = written(body.attributes.get("version"), locals);
  // Three or four segments are a registry address, others are paths and URLs.
  if (
    !/^([\w.-]+(:\d+)?\/)?[\w-]+\/[\w-]+\/[\w-]+$/.test(address) ||
    /^(github|bitbucket)\.(com|org)\//.test(address)
  )
    return [];
  return [{ kind: "module", source: address, version, section }];
}

/** `resource "helm_release" "x"`, with the chart by name or as `oci://host/path/name`. */
function chartOf(
  { labels: [type, name = ""], body }: HclBlock,
  locals: LocalTexts,
): readonly Used[] {
  if (type !== "helm_release") return [];
  const [repository = "", named = ""] = ["repository", "chart"].map(
    (key) => written(body.attributes.get(key), locals)?.text,
  );
  const whole = named.startsWith("oci://") ? named : `${repository}/${named}`;
  const at = whole.lastIndexOf("/");
  const [source, chart] = [whole.slice(0, at).replace(/\/$/, ""), whole.slice(at + 1)];
  // A path, or the name of a repository that only one machine knows.
  if (!/^(oci|https?):\/\/./.test(source) || !/^[\w.-]+$/.test(chart)) return [];
  const version = written(body.attributes.get("version"), locals);
  return [{ kind: "chart", source, chart, version, section: `helm_release.${name}` }];
}

/** `terraform { source = "tfr:///ns/name/aws?version=1.0.0" }` of Terragrunt. */
function terragrunt({ attributes }: HclBody): readonly Used[] {
  const source = attributes.get("source");
  if (source?.kind !== "text" || !source.isPlain) return [];
  const git = gitModule(source.value, source.range.start, "terraform.source");
  if (git) return [git];
  const found = /^tfr:\/\/([\w.-]*)\/([^?]+?)(?:\/\/[^?]*)?\?(?:.*&)?version=([^&]+)/.exec(
    source.value,
  );
  if (!found) return [];
  const [whole, host = "", path = "", version = ""] = found;
  const end = source.range.start + whole.length;
  return [
    {
      kind: "module",
      source: host === "" ? path : `${host}/${path}`,
      version: { text: version, range: { start: end - version.length, end } },
      section: "terraform.source",
    },
  ];
}

/** `git::https://host/a.git//path?ref=v1.0`, `github.com/a/b?ref=v1.0`: the tag is the version. */
function gitModule(source: string, start: number, section: string): Used | undefined {
  const [, git, rest = ""] = /^(git::)?(.*)$/s.exec(source) ?? [];
  const short = /^(github\.com|gitlab\.com|bitbucket\.org)\//.test(rest);
  if (git === undefined && !short && !/^git@/.test(rest)) return undefined;
  const [address = "", query = ""] = rest.split("?");
  const [, scheme = "", path = ""] = /^(\w+:\/\/)?(.*)$/s.exec(address) ?? [];
  const url = `${scheme || (short ? "https://" : "")}${path.split("//")[0]}`.replace(/\.git$/, "");
  const reference = /(?:^|&)ref=([^&]+)/.exec(query)?.[1];
  const at = start + source.lastIndexOf(`ref=${reference}`) + "ref=".length;
  return {
    kind: "git",
    source: url,
    version:
      reference === undefined
        ? undefined
        : { text: reference, range: { start: at, end: at + reference.length } },
    section,
  };
}
