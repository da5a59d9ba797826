/** The parent proxy: from `--upstream-proxy`, or from the environment that awf was started in. */
import { FirewallError } from "../errors.js";
import { splitList } from "../policy/lists.js";
import type { ParentProxy } from "../proxy/parent-dialler.js";

export interface UpstreamProxy {
  readonly parent: ParentProxy;
  /** Names that are reached without it. */
  readonly direct: readonly string[];
}

/** @throws {FirewallError} `invalid_upstream_proxy`; the URL may hold a password and is not repeated. */
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
    const where =
      option === undefined ? "The proxy variable of the environment" : "--upstream-proxy";
    throw new FirewallError(
      "invalid_upstream_proxy",
      `${where} is not the URL of an HTTP proxy; write http://host:port`,
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
