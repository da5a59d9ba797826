/** What cannot be right in a `sandbox` block, entry by entry. */
import { isIP } from "node:net";
import type { SandboxValues } from "../blocks.js";
import { readHostPorts } from "../command/ports.js";
import { readUpstream } from "../command/upstream.js";
import { FirewallError } from "../errors.js";
import { parseDomainPattern } from "../policy/pattern.js";
import { parseUrlPattern } from "../policy/url-pattern.js";

type Path = ReadonlyArray<string | number>;
type Report = (path: Path, message: string) => void;

export function checkSandbox(values: SandboxValues, report: Report): void {
  const look = (path: Path, read: () => unknown): void => {
    const wrong = complaint(read);
    if (wrong !== undefined) report(path, wrong);
  };
  for (const [index, entry] of values.allow.entries()) {
    if (/^(https?:\/\/)?localhost$/.test(entry)) continue;
    look(["allow", index], () => parseDomainPattern(entry));
  }
  for (const [index, entry] of values.block.entries()) {
    look(["block", index], () => parseDomainPattern(entry, "block"));
  }
  for (const [index, entry] of values.allow_urls.entries()) {
    look(["allow_urls", index], () => parseUrlPattern(entry));
  }
  for (const [index, server] of (values.dns ?? []).entries()) {
    if (isIP(server) === 0) report(["dns", index], `\`${server}\` is not an IP address.`);
  }
  if (typeof values.host_access !== "boolean") {
    for (const [index, entry] of values.host_access.entries()) {
      look(["host_access", index], () => readHostPorts(String(entry)));
    }
  }
  const proxy = values.upstream_proxy;
  if (typeof proxy === "string") look(["upstream_proxy"], () => readUpstream(proxy, {}));
}

/** The first line says what; options of the command line are attributes here. */
function complaint(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof FirewallError)) throw thrown;
    const [first = ""] = thrown.message.split("\n");
    const said = first
      .replace("--ssl-bump with --allow-urls", "`allow_urls`")
      .replace("--upstream-proxy", "`upstream_proxy`")
      .replace(" even with --allow-host-ports", "");
    return /[.!?]$/.test(said) ? said : `${said}.`;
  }
}
