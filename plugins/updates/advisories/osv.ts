/** Reads OSV records from files: single records, one per line, or a zip of an ecosystem. Uses no network. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { managers, type PackageManager } from "../managers/index.js";
import type { Advisory, AffectedEvent, AffectedRange } from "./contract.js";
import { eachInZip } from "./zip.js";

export interface Advisories {
  /** All advisories about a package, whatever its version. */
  of(manager: PackageManager, name: string): readonly Advisory[];
  /** The number of records about packages of a supported manager. */
  readonly count: number;
  /** Unreadable files and records, one sentence each. */
  readonly broken: readonly string[];
}

/** Reads `*.json`, `*.ndjson` and `*.zip` at any depth. A missing directory has no records. */
export async function readAdvisories(directory: string): Promise<Advisories> {
  const index = new AdvisoryIndex();
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") index.broken.push(`${directory} cannot be read: ${error.code}.`);
      return [];
    },
  );
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    try {
      await readOne(file, index);
    } catch (error) {
      index.broken.push(`${file} cannot be read: ${(error as Error).message.split("\n")[0]}.`);
    }
  }
  return index;
}

async function readOne(file: string, index: AdvisoryIndex): Promise<void> {
  if (file.endsWith(".json")) index.add(file, await readFile(file, "utf8"));
  if (file.endsWith(".ndjson"))
    for (const line of (await readFile(file, "utf8")).split("\n"))
      if (line.trim() !== "") index.add(file, line);
  if (file.endsWith(".zip"))
    await eachInZip(file, (name, text) => {
      if (name.endsWith(".json")) index.add(`${file}, ${name}`, text);
    });
}

interface OsvRecord {
  readonly id?: unknown;
  readonly aliases?: readonly string[] | null;
  readonly summary?: string;
  readonly details?: string;
  readonly withdrawn?: string | null;
  readonly severity?: readonly { readonly score?: string }[];
  readonly database_specific?: { readonly severity?: string };
  readonly affected?:
    | readonly {
        readonly package?: { readonly ecosystem?: string; readonly name?: string } | null;
        readonly versions?: readonly string[] | null;
        readonly ranges?: readonly OsvRange[] | null;
      }[]
    | null;
}
interface OsvRange {
  readonly type?: string;
  readonly events?: readonly Readonly<Record<string, string>>[] | null;
}

class AdvisoryIndex implements Advisories {
  readonly broken: string[] = [];
  readonly #byPackage = new Map<string, Advisory[]>();
  readonly #known = new Set<string>(
    Object.values(managers).flatMap(({ ecosystem }) => ecosystem ?? []),
  );
  count = 0;

  of(manager: PackageManager, name: string): readonly Advisory[] {
    const { ecosystem } = managers[manager];
    return ecosystem === undefined ? [] : (this.#byPackage.get(key(ecosystem, name)) ?? []);
  }

  add(where: string, text: string): void {
    const record = parsed(text);
    // Only the name is required: a record may precede its affected versions.
    const about = record?.affected ?? [];
    if (typeof record?.id !== "string" || !Array.isArray(about)) {
      this.broken.push(`${where} is no OSV record.`);
      return;
    }
    if (record.withdrawn) return;
    for (const affected of about) {
      const { ecosystem = "", name } = affected.package ?? {};
      const [base = ""] = ecosystem.split(":");
      if (name === undefined || !this.#known.has(base)) continue;
      const severity = record.database_specific?.severity ?? record.severity?.[0]?.score;
      const packageKey = key(base, name);
      const advisory: Advisory = {
        id: record.id,
        aliases: record.aliases ?? [],
        summary: record.summary ?? record.details?.split("\n")[0] ?? "",
        ...(severity === undefined ? {} : { severity }),
        affected: {
          ecosystem: base,
          name,
          versions: affected.versions ?? [],
          ranges: (affected.ranges ?? []).map(range),
        },
      };
      this.#byPackage.set(packageKey, [...(this.#byPackage.get(packageKey) ?? []), advisory]);
      this.count += 1;
    }
  }
}

function parsed(text: string): OsvRecord | undefined {
  try {
    return JSON.parse(text) as OsvRecord;
  } catch {
    return undefined;
  }
}

const range = ({ type, events }: OsvRange): AffectedRange => ({
  kind: type === "GIT" ? "commits" : "versions",
  events: (events ?? []).flatMap((event): AffectedEvent[] => {
    const { introduced, fixed, last_affected: lastAffected, limit } = event;
    if (introduced !== undefined) return [{ introduced }];
    if (fixed !== undefined) return [{ fixed }];
    if (lastAffected !== undefined) return [{ lastAffected }];
    return limit === undefined ? [] : [{ limit }];
  }),
});

/** npm and Go names are case-sensitive; all others are not. */
function key(ecosystem: string, name: string): string {
  if (ecosystem === "npm" || ecosystem === "Go" || ecosystem === "Maven")
    return `${ecosystem} ${name}`;
  const plain = ecosystem === "PyPI" ? name.replace(/[-_.]+/g, "-") : name;
  return `${ecosystem} ${plain.toLowerCase()}`;
}
