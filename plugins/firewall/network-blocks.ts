/** Blocks in a `sandbox` block about its requests. */
import { c } from "reeve/plugin";

export const credential = c.block({
  doc: "A credential that the proxy puts into requests, so that commands never have it. HTTPS to its hosts is decrypted.",
  label: c.name().doc("A name for messages."),
  attrs: {
    hosts: c
      .list(c.string(), { minItems: 1, maxItems: 100 })
      .doc(
        "Only requests to these hosts get the credential, without their subdomains: `api.example.org`, `api.example.org:8443`. `http://` permits requests that are not encrypted.",
      )
      .example('["api.github.com"]'),
    value: c
      .union(c.string(), c.secret())
      .doc("The credential.")
      .example('secret("env:GITHUB_TOKEN")'),
    env: c
      .string()
      .pattern("^[A-Za-z_][A-Za-z0-9_]*$", "the name of a variable")
      .optional()
      .doc(
        "The variable of commands that contains a placeholder. Where a command sends the placeholder in a header, the proxy replaces it. Without `env` every request to the hosts gets the header.",
      )
      .example('"GITHUB_TOKEN"'),
    header: c
      .string()
      .optional()
      .doc(
        "The only header that gets the credential. By default with `env` the usual headers for credentials, without `env` `Authorization`.",
      )
      .example('"X-Api-Key"'),
  },
  check: async ({ values: { hosts, header } }, report) => {
    const { hostFault, headerFault } = await import("./daemon/check-requests.js");
    for (const [index, host] of hosts.entries()) {
      const fault = hostFault(host);
      if (fault !== undefined) report(["hosts", index], fault);
    }
    const fault = header === undefined ? undefined : headerFault(header);
    if (fault !== undefined) report(["header"], fault);
  },
});

export const limit = c.block({
  doc: "Limits the requests of the sandbox's commands to a domain. Further ones get 429 with `Retry-After`.",
  label: c
    .string()
    .doc(
      "The domain, with its subdomains, which share the limit; `*`: each entry of `allow` has the limit for its own names.",
    ),
  attrs: {
    requests_per_minute: c
      .integer()
      .min(1)
      .optional()
      .doc("Requests a minute. A connection that is not decrypted counts as one."),
    requests_per_hour: c.integer().min(1).optional().doc("Requests an hour."),
    bytes_per_minute: c
      .size()
      .min(1)
      .optional()
      .doc("Bytes that requests send in a minute. A connection that exceeds them is closed."),
  },
  check: async ({ label = "", values }, report) => {
    const { limitFault } = await import("./daemon/check-requests.js");
    const fault = limitFault(label);
    if (fault !== undefined) report([], fault);
    if (Object.values(values).every((value) => value === undefined)) {
      report([], "This limits nothing: it has no attribute.");
    }
  },
});
