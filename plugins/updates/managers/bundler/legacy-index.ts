/** Gem servers of plain files, as `gem generate_index` makes them: one list of all versions, and a file about each. */
import { gunzipSync, inflateSync } from "node:zlib";
import { UpdatesError } from "../../errors.js";
import { type RubyObject, readMarshal } from "../../languages/ruby-marshal.js";
import type { Lookup } from "../../registries/contract.js";
import type { GemRelease } from "./index.js";
import type { GemNeed } from "./lockfile.js";

type Listed = readonly (readonly [version: string, platform: string])[];

/** Undefined where there is no such list, or the gem is not in it. What a version needs is told by `legacyDetails`. */
export async function legacyReleases(
  url: string,
  name: string,
  lookup: Lookup,
): Promise<readonly GemRelease[] | undefined> {
  const lists = await Promise.all(
    ["specs", "prerelease_specs"].map((file) => listOf(`${url}/${file}.4.8.gz`, lookup)),
  );
  if (lists[0] === undefined) return undefined;
  const found = lists.flatMap((list) => list?.[name] ?? []);
  if (found.length === 0) return undefined;
  return found.map(([version, platform]) => ({ version, platform }));
}

async function listOf(
  url: string,
  lookup: Lookup,
): Promise<Readonly<Record<string, Listed>> | undefined> {
  try {
    return await lookup.fetch({
      url,
      purpose: "all gems",
      digest: ({ body }) => {
        const all = readMarshal(unpacked(body)) as readonly (readonly unknown[])[];
        const listed = all.map(([name, version, platform]) => ({
          name: String(name),
          release: [versionIn(version), String(platform)] as const,
        }));
        return Object.fromEntries(
          [...Map.groupBy(listed, ({ name }) => name)].map(([name, group]) => [
            name,
            group.map(({ release }) => release),
          ]),
        );
      },
    });
  } catch (error) {
    if (error instanceof UpdatesError && error.code === "package_unknown") return undefined;
    throw error;
  }
}

/** Some servers say that the file is packed, and then it has been unpacked already. */
const unpacked = (body: Uint8Array): Uint8Array =>
  body[0] === 0x1f && body[1] === 0x8b ? gunzipSync(body, { maxOutputLength: 256 << 20 }) : body;

/** What one version needs: from the file about it. @throws UpdatesError as `Lookup.fetch` */
export function legacyDetails(
  url: string,
  name: string,
  { version, platform }: GemRelease,
  lookup: Lookup,
): Promise<GemRelease> {
  const whole = platform === "ruby" ? `${name}-${version}` : `${name}-${version}-${platform}`;
  return lookup.fetch<GemRelease>({
    url: `${url}/quick/Marshal.4.8/${encodeURIComponent(whole)}.gemspec.rz`,
    purpose: "gem",
    digest: ({ body }) => {
      const specification = readMarshal(inflateSync(body)) as RubyObject;
      const fields = readMarshal(specification.dumped as Uint8Array) as readonly unknown[];
      const ruby = requirementIn(fields[6]);
      return {
        version,
        platform,
        needs: (fields[9] as readonly RubyObject[]).flatMap(needIn),
        ...(ruby === "" ? {} : { ruby }),
      };
    },
  });
}

function needIn({ fields }: RubyObject): readonly GemNeed[] {
  if (fields["@type"] !== undefined && fields["@type"] !== "runtime") return [];
  return [{ name: String(fields["@name"]), requirement: requirementIn(fields["@requirement"]) }];
}

/** `>= 1, < 2`. A list of pairs in a list. */
function requirementIn(requirement: unknown): string {
  const [pairs] = (requirement as RubyObject)
    .dumped as readonly (readonly (readonly unknown[])[])[];
  return (pairs ?? []).map(([operator, version]) => `${operator} ${versionIn(version)}`).join(", ");
}

const versionIn = (version: unknown): string =>
  String(((version as RubyObject).dumped as readonly unknown[])[0]);
