/** Creates many configs at once; each succeeds or fails alone. */
import type { Caller } from "../hosts/contract.js";
import type { ConfigFilePorts } from "../pipeline/inbound/sync-config-file.js";
import type { Ports } from "../pipeline/ports.js";
import { parseFields } from "./body.js";
import { createFields, readOnly } from "./config-fields.js";
import { createConfig } from "./configs.js";
import { ApiError, type ErrorObject } from "./errors.js";
import { configResource, type Resource } from "./resources.js";

const most = 1000;

export async function bulkCreate(
  ports: ConfigFilePorts & Pick<Ports, "access" | "accounts" | "directory">,
  caller: Caller,
  body: unknown,
) {
  const items = listIn(body);
  const data: Resource[] = [];
  const errors: ErrorObject[] = [];
  for (const [index, item] of items.entries()) {
    const repoId = (item as { "repo-id"?: unknown } | null)?.["repo-id"];
    const meta = { "repo-id": repoId === undefined ? null : String(repoId), index };
    try {
      const config = await createConfig(
        ports,
        caller,
        parseFields(item, createFields, { readOnly }),
      );
      data.push(configResource(config));
    } catch (thrown) {
      if (!(thrown instanceof ApiError)) throw thrown;
      errors.push(
        ...thrown.errors.map((error) => ({ ...error, meta: { ...error.meta, ...meta } })),
      );
    }
  }
  const status = data.length > 0 || items.length === 0 ? 201 : 400;
  return { status, body: { data, ...(errors.length > 0 ? { errors } : {}) } };
}

function listIn(body: unknown): readonly unknown[] {
  const list = Array.isArray(body)
    ? body
    : ((body as { data?: unknown } | undefined)?.data ??
      (body as { "update-configs"?: unknown } | undefined)?.["update-configs"]);
  if (Array.isArray(list) && list.length <= most) return list;
  throw new ApiError(400, `The body must be a list of at most ${most} update configs.`, {
    code: "invalid_body",
  });
}
