/** What Maven repositories offer: their lists of versions, and when each was put there. */
import { UpdatesError } from "../../errors.js";
import type { Lookup } from "../../registries/contract.js";
import { descend, readXml } from "../../text/xml.js";
import type { Available, Dependency, Release, ReleaseFields } from "../contract.js";
import { compareMaven } from "./order.js";
import { mavenVersioning } from "./versioning.js";

/** Dates are asked for the newest versions only: each is a question of its own. */
const DATED = 20;
/** Newest versions that are looked at: some are in the list before their files are there, or were taken back. */
const LOOKED_AT = 5;

export const folder = (url: string, name: string): string => {
  const [group = "", artifact = ""] = name.split(":");
  return `${url}/${group.replaceAll(".", "/")}/${artifact}`;
};

/** `compare` is the manager's order. @throws UpdatesError `package_unknown` where no repository has it */
export async function mavenAvailable(
  { name, origin, current, extra }: Dependency,
  lookup: Lookup,
  { dates }: ReleaseFields,
  compare: (a: string, b: string) => number = compareMaven,
): Promise<Available> {
  if (origin.kind !== "registry")
    throw new UpdatesError("lookup_failed", `No repository is known for ${name}.`);
  const urls = [origin.url, ...(extra?.repositories?.split(" ") ?? [])];
  const sharers = extra?.sharers?.split(" ") ?? [];
  const [offered, ...limits] = await Promise.all(
    [name, ...sharers].map((each) => versionsIn(urls, each, lookup)),
  );
  // One property says the version of all that share it: what not all of them have is nothing for any.
  const newer = (offered ?? [])
    .filter(({ version }) => current === undefined || compare(version, current) >= 0)
    .filter(({ version }) => limits.every((one) => one.some((other) => other.version === version)))
    .sort((a, b) => compare(b.version, a.version));
  return { releases: await lookedAt(newer, { name, current, lookup, dates }) };
}

interface Offer {
  readonly version: string;
  readonly url: string;
}

async function versionsIn(
  urls: readonly string[],
  name: string,
  lookup: Lookup,
): Promise<readonly Offer[]> {
  const [only = ""] = urls;
  if (urls.length === 1)
    return (await versions(only, name, lookup)).map((version) => ({ version, url: only }));
  const answers = await Promise.allSettled(urls.map((url) => versions(url, name, lookup)));
  const known = answers.flatMap((answer, index) =>
    answer.status === "fulfilled"
      ? answer.value.map((version) => ({ version, url: urls[index] ?? "" }))
      : [],
  );
  if (answers.some(({ status }) => status === "fulfilled"))
    return [...new Map(known.map((offer) => [offer.version, offer])).values()];
  const reasons = answers.map((answer) => (answer as PromiseRejectedResult).reason as unknown);
  // Who does not answer might have it; that nobody has it is only said when everybody said so.
  throw reasons.find((reason) => !isUnknown(reason)) ?? reasons[0];
}

const isUnknown = (thrown: unknown): boolean =>
  thrown instanceof UpdatesError && thrown.code === "package_unknown";

/** Newest first. */
const versions = (url: string, name: string, lookup: Lookup): Promise<readonly string[]> =>
  lookup.fetch<readonly string[]>({
    url: `${folder(url, name)}/maven-metadata.xml`,
    purpose: "versions",
    digest: ({ body }) =>
      descend(
        readXml("maven-metadata.xml", new TextDecoder().decode(body)),
        "metadata",
        "versioning",
        "versions",
        "version",
      )
        .flatMap(({ value }) => (value ? [value.text] : []))
        .sort((a, b) => compareMaven(b, a)),
  });

interface Looking {
  readonly name: string;
  readonly current: string | undefined;
  readonly lookup: Lookup;
  readonly dates: boolean;
}

/** The newest ones are looked at; a version without a POM is withdrawn. */
async function lookedAt(
  offers: readonly Offer[],
  { name, current, lookup, dates }: Looking,
): Promise<readonly Release[]> {
  const seen = new Map<Offer, Partial<Release>>();
  const look = async (offer: Offer): Promise<void> => {
    seen.set(offer, await pom(offer, name, lookup));
  };
  const worth = offers.filter(
    ({ version }) =>
      version !== current &&
      !/-SNAPSHOT$/i.test(version) &&
      (dates || !mavenVersioning.isPrerelease(version)),
  );
  if (dates) await Promise.all(worth.slice(0, DATED).map(look));
  else
    for (const offer of worth.slice(0, LOOKED_AT)) {
      await look(offer);
      if (seen.get(offer)?.withdrawn === undefined) break;
    }
  return offers.map((offer) => ({ version: offer.version, ...seen.get(offer) }));
}

async function pom(
  { url, version }: Offer,
  name: string,
  lookup: Lookup,
): Promise<Partial<Release>> {
  try {
    return await lookup.fetch<Partial<Release>>({
      url: `${folder(url, name)}/${version}/${name.split(":")[1]}-${version}.pom`,
      method: "HEAD",
      purpose: "pom",
      digest: (answer) => {
        const published = Date.parse(answer.header("last-modified") ?? "");
        return Number.isNaN(published) ? {} : { published };
      },
    });
  } catch (thrown) {
    if (!isUnknown(thrown)) throw thrown;
    return { withdrawn: "It is in the list of versions, but its POM is not there." };
  }
}
