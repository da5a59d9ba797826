/** Cross-origin requests (Fetch standard, "HTTP extensions"): the response to a preflight, and the headers of others. */
import type { HookBlock } from "../blocks/blocks.js";
import { type Refusal, refuse } from "../decide/refusal.js";
import type { HookResponse } from "./handler.js";
import type { RequestView } from "./request-view.js";

type Hook = Pick<HookBlock, "values">;

/** Headers of responses that scripts may read, besides those that the hook sets itself. */
const EXPOSED = ["Reeve-Run", "Location", "Retry-After"];

/** Whether a browser asks for permission, which needs no verification. */
export const isPreflight = (
  { method, headers }: Pick<RequestView, "method" | "headers">,
  { values }: Hook,
): boolean =>
  method === "OPTIONS" &&
  values.cors !== undefined &&
  headers.origin !== undefined &&
  headers["access-control-request-method"] !== undefined;

/** The operator sees which origin is refused; browsers need no more than a response without permission. */
export function preflightRefusal(
  { headers }: Pick<RequestView, "headers">,
  hook: Hook,
): Refusal | undefined {
  if (allowedOrigin(hook, headers.origin) !== undefined) return undefined;
  return refuse("origin_not_allowed", "Pages of this origin may not send requests here.", {
    cause: `\`${headers.origin?.slice(0, 200)}\` is not in \`origins\``,
  });
}

/** Without the headers of `shared`. */
export function preflightResponse({ values: { cors, methods } }: Hook): HookResponse {
  return {
    status: 204,
    headers: {
      "access-control-allow-methods": methods.join(", "),
      ...(cors === undefined || cors.values.headers.length === 0
        ? {}
        : { "access-control-allow-headers": cors.values.headers.join(", ") }),
      "access-control-max-age": String(Math.floor((cors?.values.max_age ?? 0) / 1000)),
    },
    body: "",
  };
}

/** A response with the permission to read it, also a refusal: a script cannot read any other. */
export function shared(
  response: HookResponse,
  { headers }: Pick<RequestView, "headers">,
  hook: Hook | undefined,
): HookResponse {
  const cors = hook?.values.cors?.values;
  if (!hook || !cors) return response;
  const { vary } = response.headers;
  const origin = allowedOrigin(hook, headers.origin);
  return {
    ...response,
    headers: {
      ...response.headers,
      vary: vary === undefined || vary === "" ? "Origin" : `${vary}, Origin`,
      ...(origin === undefined
        ? {}
        : {
            "access-control-allow-origin": origin,
            "access-control-expose-headers": exposed(hook),
            ...(cors.credentials ? { "access-control-allow-credentials": "true" } : {}),
          }),
    },
  };
}

/** The exact origin of the request, `*` if all may; `undefined` if this one may not. */
function allowedOrigin({ values }: Hook, origin: string | undefined): string | undefined {
  const origins = values.cors?.values.origins;
  if (!origins || origin === undefined) return undefined;
  if (origins.includes("*")) return "*";
  return origins.includes(origin) ? origin : undefined;
}

const exposed = ({ values }: Hook): string =>
  [...EXPOSED, ...Object.keys(values.response?.values.headers ?? {})].join(", ");
