/** Announcements: a version of a private package was released. */
import type { Caller } from "../hosts/contract.js";
import { managerOf, type PackageManager, packageManager } from "../managers/index.js";
import { type Impact, type ImpactPorts, impactOf } from "../pipeline/plan/impact.js";
import type { Ports } from "../pipeline/ports.js";
import { type FieldReader, parseFields, textField } from "./body.js";
import { ApiError } from "./errors.js";
import { type ApiRequest, flagParameter, invalidParameter } from "./request.js";

const manager: FieldReader<PackageManager> = (sent) => {
  const known = typeof sent === "string" ? packageManager(sent) : undefined;
  return known ? { value: known } : { must: "one of the package managers of this interface" };
};

const fields = {
  name: { read: textField(), required: true },
  version: { read: textField(200) },
  "package-manager": { read: manager, required: true },
} as const;

/** Returns `undefined` if the request asks for no representation. */
export async function announceRelease(
  ports: ImpactPorts & Pick<Ports, "announce" | "directory" | "host">,
  caller: Caller,
  request: ApiRequest,
) {
  const sent = parseFields(request.body, fields);
  const id = sent["package-manager"] as PackageManager;
  const { name, version } = partsOf(sent.name ?? "", sent.version);
  if (id === "maven" && !/^[^:\s]+:[^:\s]+$/.test(name))
    throw new ApiError(
      400,
      "The name of a Java package is its group and artifact: com.acme:left-foo.",
      {
        code: "invalid",
        source: { pointer: "/name" },
      },
    );
  const accounts = await ports.directory.accounts(ports.host, caller);
  const about = {
    packageManager: id,
    name: (await managerOf(id)).normalize(name),
    accounts: accounts.map((account) => account.id).sort((a, b) => a - b),
  };
  if (flagParameter(request, "dry-run")) {
    if (version === undefined) {
      throw invalidParameter("dry-run", "A dry run needs the version that would be released.");
    }
    const impacts = await impactOf(ports, { ...about, version });
    return {
      status: 200,
      body: { data: impacts.map(impactResource), meta: { total: impacts.length } },
    };
  }
  const configs = await ports.announce({ ...about, version });
  if (!/return=representation/i.test(String(request.headers.prefer ?? ""))) return undefined;
  const attributes = {
    name,
    version: version ?? null,
    "package-manager": id,
    "matched-configs": configs,
  };
  return {
    status: 202,
    body: { data: { id: request.id, type: "release-notifications", attributes } },
  };
}

const impactResource = ({ repo, config, from, inRange, change, diff, automerge, why }: Impact) => ({
  id: String(config.id),
  type: "release-impacts",
  attributes: {
    repo: `${repo.login}/${repo.name}`,
    directory: config.directory,
    from: from ?? null,
    "in-range": inRange,
    "update-type": change,
    diff,
    automerge,
    "automerge-reason": why,
  },
  relationships: {
    "update-config": { data: { id: String(config.id), type: "update-configs" } },
    repo: { data: { id: String(repo.id), type: "repos" } },
  },
});

/** Webhooks of registries send `name@version` in one field. */
function partsOf(name: string, version: string | undefined) {
  const at = name.lastIndexOf("@");
  if (version !== undefined || at <= 0) return { name, version };
  return { name: name.slice(0, at), version: name.slice(at + 1) };
}
