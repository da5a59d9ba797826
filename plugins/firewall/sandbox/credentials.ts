/** Credentials of a sandbox as written, and the placeholders that its command gets. */
import { randomInt } from "node:crypto";
import { FirewallError } from "../errors.js";
import { parseDestination } from "../policy/destination.js";
import { serviceTokens } from "../policy/service-tokens.js";
import { credentialHeaders, type InjectedCredential } from "../proxy/credentials.js";
import { SecretScanner } from "../proxy/secret-scanner.js";
import { type CredentialInput, type CredentialSpec, hostAlias, type NetworkSpec } from "./spec.js";

/** Headers that the proxy itself writes, or that are for the connection. */
const reserved =
  /^(?:host|content-length|transfer-encoding|connection|keep-alive|te|trailer|upgrade|expect|proxy-.*)$/i;
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

export function isCredentialHeader(header: string): boolean {
  return token.test(header) && !reserved.test(header);
}

/** @throws {FirewallError} `invalid_domain`, `domain_with_path`, `invalid_credential` */
export function parseCredential(
  { name, hosts, variable, header }: CredentialInput,
  { policy, noBump, hostPorts = [] }: NetworkSpec,
): CredentialSpec {
  const fault = (reason: string) =>
    new FirewallError("invalid_credential", `The credential ${name} ${reason}`);
  if (header !== undefined && !isCredentialHeader(header)) {
    throw fault(`has the header ${header}, which cannot contain one`);
  }
  const destinations = hosts.map((host) => parseDestination(host.trim()));
  for (const destination of destinations) {
    const { host, port, protocol } = destination;
    const isService = host === hostAlias && hostPorts.includes(port);
    const isReached = isService || policy.decide(destination).allowed;
    if (!isReached) throw fault(`is for ${protocol}://${host}:${port}, which is not allowed`);
    if (protocol === "https" && noBump.findName(host)) {
      throw fault(`needs decrypted HTTPS, which the list excludes for ${host}`);
    }
  }
  return {
    name,
    destinations,
    ...(variable !== undefined && { variable }),
    ...(header !== undefined && { header }),
  };
}

/** @throws {FirewallError} `invalid_credential`; the message leaves the value out */
export function createCredential(
  { name, destinations, variable, header }: CredentialSpec,
  value: string,
): InjectedCredential {
  if (!/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value)) {
    const reason = value === "" ? "it is empty" : "it has characters that no header may have";
    throw new FirewallError(
      "invalid_credential",
      `The value of the credential ${name} cannot be sent: ${reason}`,
    );
  }
  if (variable === undefined) return { destinations, headers: [header ?? "Authorization"], value };
  const headers = header === undefined ? credentialHeaders : [header];
  return { destinations, headers, placeholder: placeholderFor(value), value };
}

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
/** Enough that no text has it by accident. */
const shortest = 24;

/** Random text that programs take for the value: with the start of a well-known kind of token, and as long. */
function placeholderFor(value: string): string {
  const kind = serviceTokens.find(({ prefix }) => value.startsWith(prefix));
  const prefix = kind?.prefix ?? "";
  const length = Math.max(shortest, value.length - prefix.length);
  return prefix + Array.from({ length }, () => letters[randomInt(letters.length)]).join("");
}

/** Values shorter than this may be part of other text by accident. */
const shortestHidden = 8;

/** The command's variables with placeholders, also where another variable has a credential's value. */
export function withPlaceholders(
  environment: Readonly<Record<string, string>>,
  credentials: ReadonlyArray<{
    readonly spec: CredentialSpec;
    readonly credential: InjectedCredential;
  }>,
): Record<string, string> {
  const hidden = Object.entries(environment).map(([name, written]) => {
    let text = written;
    for (const { credential } of credentials) {
      const { value, placeholder = "" } = credential;
      if (text === value || value.length >= shortestHidden) {
        text = text.replaceAll(value, () => placeholder);
      }
    }
    return [name, text] as const;
  });
  const own = credentials.flatMap(({ spec, credential }) =>
    spec.variable === undefined ? [] : [[spec.variable, credential.placeholder ?? ""] as const],
  );
  return Object.fromEntries([...hidden, ...own]);
}

/** Names of variables that usually hold secrets. */
const secretName = /TOKEN|SECRET|PASSW|API_?KEY|PRIVATE_?KEY|CREDENTIAL/i;

/** Knows the credentials' values and the secrets among the command's variables; placeholders may be sent. */
export function secretScanner(
  environment: Readonly<Record<string, string>>,
  secretVariables: readonly string[],
  credentials: ReadonlyArray<{
    readonly spec: CredentialSpec;
    readonly credential: InjectedCredential;
  }>,
): SecretScanner {
  const placeholders = credentials.flatMap(({ credential }) => credential.placeholder ?? []);
  const variables = Object.entries(environment).flatMap(([name, value]) =>
    (secretName.test(name) || secretVariables.includes(name)) && !placeholders.includes(value)
      ? { name, value }
      : [],
  );
  const own = credentials.map(({ spec, credential }) => ({ ...spec, value: credential.value }));
  return new SecretScanner([...own, ...variables], placeholders);
}
