/** "A version of a private dependency was released." */

import { managerOf, type PackageManager, packageManager } from "../engine.js";
import { UpdatesError } from "../errors.js";
import type { Caller } from "../hosts/contract.js";
import type { UpdatesService } from "../service.js";
import { fieldsOf, type Reader, text } from "./body.js";
import { Refusal } from "./errors.js";
import type { Asked } from "./request.js";

const manager: Reader<PackageManager> = (sent) => {
  const known = typeof sent === "string" ? packageManager(sent) : undefined;
  return known ? { value: known } : { must: "one of the package managers of this interface" };
};

const fields = {
  name: { read: text(), required: true },
  version: { read: text(200) },
  "package-manager": { read: manager, required: true },
} as const;

/** `undefined`: nobody asked for more than that it arrived. */
export async function notified(service: UpdatesService, caller: Caller, asked: Asked) {
  const sent = fieldsOf(asked.body, fields);
  const id = sent["package-manager"];
  if (id === undefined) return undefined;
  const { name, version } = partsOf(sent.name ?? "", sent.version);
  const accounts = await service.book.accounts(service.host, caller);
  const configs = await service.notifier.announce({
    packageManager: id,
    name: normalised(id, name),
    version,
    accounts: accounts.map((account) => account.id).sort((a, b) => a - b),
  });
  if (!/return=representation/i.test(String(asked.headers.prefer ?? ""))) return undefined;
  return {
    data: {
      id: asked.id,
      type: "release-notifications",
      attributes: {
        name,
        version: version ?? null,
        "package-manager": id,
        "matched-configs": configs,
      },
    },
  };
}

function normalised(id: PackageManager, name: string): string {
  try {
    return managerOf(id).normalise(name);
  } catch (thrown) {
    if (!(thrown instanceof UpdatesError)) throw thrown;
    throw new Refusal(400, thrown.message, {
      code: thrown.code,
      source: { pointer: "/package-manager" },
    });
  }
}

/** Registries' webhooks write `name@version` in one. */
function partsOf(name: string, version: string | undefined) {
  const at = name.lastIndexOf("@");
  if (version !== undefined || at <= 0) return { name, version };
  return { name: name.slice(0, at), version: name.slice(at + 1) };
}
