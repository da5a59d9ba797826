/** The variables that flags and a sandbox file give the command. */
import { readFileSync } from "node:fs";
import { FirewallError } from "../errors.js";
import { sandboxEnvironment } from "../sandbox/environment.js";
import type { AwfSettings } from "./settings.js";

/** @throws {FirewallError} `invalid_environment`, `no_environment_file` */
export function commandEnvironment(
  { options, spec, environment }: Pick<AwfSettings, "options" | "spec" | "environment">,
  home: string,
  host: NodeJS.ProcessEnv = process.env,
): Record<string, string> {
  return sandboxEnvironment({
    host,
    home,
    hostAccess: spec.hostPorts !== undefined,
    all: options.envAll === true,
    excluded: options.excludeEnv ?? [],
    variables: Object.fromEntries([
      ...(options.envFile ?? []).flatMap(fromFile),
      ...Object.entries(environment).map(([name, value]) => variable(name, value)),
      ...(options.env ?? []).map(assignment),
    ]),
  });
}

function assignment(text: string): [string, string] {
  const at = Math.max(0, text.indexOf("="));
  return variable(text.slice(0, at), text.slice(at + 1), text);
}

function variable(name: string, value: string, text = `${name}=${value}`): [string, string] {
  if (name !== "" && !text.includes("\0")) return [name, value];
  throw new FirewallError(
    "invalid_environment",
    `Invalid environment variable format: ${text} (expected KEY=VALUE)`,
  );
}

/** Reads `KEY=VALUE` lines, without comments and without quotes around values. */
function fromFile(path: string): Array<[string, string]> {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    throw new FirewallError("no_environment_file", `Environment file cannot be read: ${path}`);
  }
  return text
    .split(/\r?\n/)
    .map((line) => line.trim().replace(/^export\s+/, ""))
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line, index) => {
      if (!line.includes("=")) {
        // The line may hold a secret, so the message leaves it out.
        throw new FirewallError(
          "invalid_environment",
          `Environment file ${path}: entry ${index + 1} is not KEY=VALUE`,
        );
      }
      const [name, value] = assignment(line);
      return [name.trim(), value.trim().replace(/^(["'])(.*)\1$/, "$2")];
    });
}
