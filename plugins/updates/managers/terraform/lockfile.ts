/** `.terraform.lock.hcl`: the version, the constraints and the sums of each provider. */
import { UpdatesError } from "../../errors.js";
import { type HclValue, readHcl } from "../../languages/hcl.js";
import type { Lookup } from "../../registries/contract.js";
import { replaced, type TextRange } from "../../text/text.js";
import { LockFallback } from "../lock/refresh.js";
import { archives, type ProviderArchive, providerContentHash, providerSums } from "./registry.js";
import { readConstraints, terraformVersioning } from "./versions.js";

export interface LockedProvider {
  /** `registry.terraform.io/hashicorp/aws`. */
  readonly address: string;
  readonly version: { readonly text: string; readonly range: TextRange };
  readonly constraints: { readonly text: string; readonly range: TextRange } | undefined;
  readonly hashes: { readonly all: readonly string[]; readonly range: TextRange } | undefined;
}

/** @throws UpdatesError `manifest_unreadable` */
export const readTerraformLock = (file: string, text: string): readonly LockedProvider[] =>
  readHcl(file, text).blocks.flatMap(({ type, labels: [address = ""], body }) => {
    const said = (name: string) => {
      const value = body.attributes.get(name);
      return value?.kind === "text" ? { text: value.value, range: value.range } : undefined;
    };
    const version = said("version");
    if (type !== "provider" || !version) return [];
    return [
      {
        address,
        version,
        constraints: said("constraints"),
        hashes: listed(body.attributes.get("hashes")),
      },
    ];
  });

const listed = (value: HclValue | undefined): LockedProvider["hashes"] =>
  value?.kind === "list"
    ? {
        all: value.items.flatMap((item) => (item.kind === "text" ? [item.value] : [])),
        range: value.range,
      }
    : undefined;

export interface ProviderMove {
  readonly address: string;
  /** The registry and the path of the provider. */
  readonly registry: string;
  readonly path: string;
  readonly to: string;
  /** Constraints before and after. */
  readonly requirements: readonly (readonly [before: string, after: string])[];
}

/** @throws LockFallback; UpdatesError `does_not_resolve`, and as `Lookup` */
export async function moveLocked(
  file: string,
  text: string,
  moves: readonly ProviderMove[],
  lookup: Lookup,
): Promise<string> {
  const locked = readTerraformLock(file, text);
  const edits: { range: TextRange; text: string }[] = [];
  for (const move of moves) {
    const entry = locked.find(({ address }) => address === move.address);
    if (!entry) continue;
    edits.push({ range: entry.version.range, text: move.to });
    if (entry.constraints) {
      const next = constraintsAfter(entry.constraints.text, move);
      edits.push({ range: entry.constraints.range, text: next });
    }
    if (!entry.hashes) throw new LockFallback(`${move.address} is locked without sums.`);
    const sums = await hashesOf(move, entry.version.text, entry.hashes.all, lookup);
    const newline = text.includes("\r\n") ? "\r\n" : "\n";
    const list = ["[", ...sums.map((sum) => `    "${sum}",`), "  ]"].join(newline);
    edits.push({ range: entry.hashes.range, text: list });
  }
  return replaced(text, edits);
}

/** The lock keeps the constraints of all modules in one text, in order. */
function constraintsAfter(text: string, { address, requirements, to }: ProviderMove): string {
  const own = text.split(",").map((part) => part.trim());
  const changes = new Map<string, string>();
  for (const [before, after] of requirements) {
    const [old, next] = [canonical(before), canonical(after)];
    if (old.join() === next.join()) continue;
    if (old.length !== next.length || !old.every((part) => own.includes(part)))
      throw new LockFallback(
        `What the lock file says is required of ${address} is not what the manifests say.`,
      );
    for (const [position, part] of old.entries()) changes.set(part, next[position] ?? part);
  }
  const moved = [...new Set(own.map((part) => changes.get(part) ?? part))];
  const against = moved.find((part) => !terraformVersioning.satisfies(to, part));
  if (against !== undefined)
    throw new UpdatesError(
      "does_not_resolve",
      `A module requires ${against} of ${address}, as the lock file says.`,
    );
  return moved.length === 1 ? (moved[0] ?? "") : ordered(moved).join(", ");
}

/** As lock files write constraints: `~> 1.2` with two numbers or three, and a bare version where it is exact. */
const canonical = (requirement: string): readonly string[] =>
  (readConstraints(requirement) ?? []).map(({ sign, numbers, version }) => {
    const [major, minor = 0] = numbers;
    const digits = sign === "~>" && numbers.length < 3 ? `${major}.${minor}` : version;
    return sign === "=" ? digits : `${sign} ${digits}`;
  });

const SIGNS = ["", ">", ">=", "<", "<=", "~>", "!="];
const ordered = (parts: readonly string[]): readonly string[] =>
  parts.toSorted((a, b) => {
    const [[first], [second]] = [readConstraints(a) ?? [], readConstraints(b) ?? []];
    const order = terraformVersioning.compare(first?.version ?? "", second?.version ?? "");
    const sign = (part: string): number => SIGNS.indexOf(/^\D*/.exec(part)?.[0].trim() ?? "");
    return order || sign(a) - sign(b);
  });

/** The order in which archives are hashed, as many as the lock had before. */
const USUAL = ["linux amd64", "darwin arm64", "linux arm64", "darwin amd64", "windows amd64"];

async function hashesOf(
  { registry, path, to, address }: ProviderMove,
  from: string,
  before: readonly string[],
  lookup: Lookup,
): Promise<readonly string[]> {
  const [was, now] = await Promise.all([
    archives(registry, path, from, lookup),
    archives(registry, path, to, lookup),
  ]);
  const [first] = now;
  const [older] = was;
  if (!first || !older)
    throw new LockFallback(`The registry does not say what ${address} ${to} is built for.`);
  const zh = (sums: readonly (readonly [string, string])[]): readonly string[] =>
    sums.map(([, sum]) => `zh:${sum}`).sort();
  const old = await providerSums(registry, path, from, older, lookup);
  const known = before.filter((hash) => hash.startsWith("zh:")).toSorted();
  const zips = (sums: typeof old) => sums.filter(([file]) => file.endsWith(".zip"));
  // The sums are certain only if the old ones are reproduced: all files of the list, or archives alone.
  const all = known.join() === zh(old).join();
  if (!all && known.length > 0 && known.join() !== zh(zips(old)).join())
    throw new LockFallback(
      `The sums of ${address} ${from} are not those that its publisher names.`,
    );
  const next = await providerSums(registry, path, to, first, lookup);
  const archived = known.length === 0 ? [] : zh(all ? next : zips(next));
  const count = before.length - known.length;
  const position = ({ os, arch }: ProviderArchive): number =>
    (USUAL.indexOf(`${os} ${arch}`) + 100) % 100;
  const wanted = now.toSorted((a, b) => position(a) - position(b)).slice(0, count);
  const contents = await Promise.all(
    wanted.map((archive) => providerContentHash(registry, path, to, archive, lookup)),
  );
  const content = contents.flatMap((hash) => hash ?? []);
  if (content.length + archived.length === 0)
    throw new LockFallback(`Nothing is known of the files of ${address} ${to}.`);
  return [...content, ...archived].toSorted();
}
