/** The upstream proxy: set explicitly, or by the proxy variables of this process. */
import { FirewallError } from "../errors.js";
import { splitList } from "../policy/lists.js";
import type { ParentProxy } from "../proxy/parent-dialler.js";

export interface UpstreamProxy {
  readonly parent: ParentProxy;
  /** Names that are reached directly. */
  readonly direct: readonly string[];
}

/**
 * @throws {FirewallError} `invalid_upstream_proxy`, `invalid_proxy_variable`; the message leaves the URL out, since it may
 * hold a password, and continues the name of the option or variable.
 */
export function readUpstream(
  option: string | undefined,
  environment: NodeJS.ProcessEnv,
): UpstreamProxy | undefined {
  const found = ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY"]
    .map((name) => environment[name])
    .find((value) => value);
  const written = option ?? found;
  if (written === undefined) return undefined;
  const text = written.includes("://") ? written : `http://${written}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "http:" || url.hostname === "") {
    throw new FirewallError(
      option === undefined ? "invalid_proxy_variable" : "invalid_upstream_proxy",
      "is not the URL of an HTTP proxy; write http://host:port",
    );
  }
  const credentials = [url.username, url.password].map(decodeURIComponent).join(":");
  const parent: ParentProxy = {
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: Number(url.port) || 80,
    ...(url.username === ""
      ? {}
      : { authorization: `Basic ${Buffer.from(credentials).toString("base64")}` }),
  };
  return { parent, direct: splitList(environment.no_proxy ?? environment.NO_PROXY ?? "") };
}
