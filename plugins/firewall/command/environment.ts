/** What of the environment the command gets. */
import { readFileSync } from "node:fs";
import { FirewallError } from "../errors.js";
import { hostAlias } from "./domains.js";
import type { WrittenOptions } from "./options.js";

type Environment = Readonly<Record<string, string | undefined>>;

/** Passed when the host has them. Tokens are among them, as users of agents expect. */
const passedByDefault = [
  "GITHUB_TOKEN",
  "GH_TOKEN",
  "GITHUB_PERSONAL_ACCESS_TOKEN",
  "OPENAI_API_KEY",
  "CODEX_API_KEY",
  "ANTHROPIC_API_KEY",
  "USER",
  "LOGNAME",
  "TERM",
  "COLORTERM",
  "NO_COLOR",
  "LANG",
  "LC_ALL",
  "LC_CTYPE",
  "TZ",
  "CI",
  "XDG_CONFIG_HOME",
  "GOROOT",
  "CARGO_HOME",
  "RUSTUP_HOME",
  "JAVA_HOME",
  "DOTNET_ROOT",
  "BUN_INSTALL",
];

/** Never taken over by `--env-all`: they belong to the shell that started awf, or point out of the sandbox. */
const neverPassed =
  /^(?:PATH|PWD|OLDPWD|SHLVL|_|SUDO_.*|NODE_CHANNEL_FD|NODE_CHANNEL_SERIALIZATION_MODE|SSH_AUTH_SOCK|DBUS_SESSION_BUS_ADDRESS|XDG_RUNTIME_DIR|DISPLAY|WAYLAND_DISPLAY|DOCKER_HOST|[a-z_]+_proxy|[A-Z]+_PROXY)$/;

export interface EnvironmentRequest {
  readonly options: WrittenOptions;
  readonly host: Environment;
  readonly home: string;
  /** `http://127.0.0.1:3128` inside. */
  readonly proxy: string;
  readonly hostAccess: boolean;
}

/** @throws {FirewallError} `invalid_environment` */
export function sandboxEnvironment({
  options,
  host,
  home,
  proxy,
  hostAccess,
}: EnvironmentRequest): Record<string, string> {
  const excluded = new Set(options.excludeEnv ?? []);
  const names = options.envAll
    ? Object.keys(host).filter((name) => !neverPassed.test(name))
    : passedByDefault;
  const passed = names.flatMap((name): Array<[string, string]> => {
    const value = host[name];
    return value === undefined || excluded.has(name) ? [] : [[name, value]];
  });
  const direct = ["localhost", "127.0.0.1", "::1", ...(hostAccess ? [hostAlias] : [])].join(",");
  const proxyVariables = [
    "HTTP_PROXY",
    "http_proxy",
    "HTTPS_PROXY",
    "https_proxy",
    "ALL_PROXY",
    "all_proxy",
  ];
  return {
    PATH: host.PATH ?? "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    ...Object.fromEntries(passed),
    HOME: home,
    ...Object.fromEntries(proxyVariables.map((name) => [name, proxy])),
    NO_PROXY: direct,
    no_proxy: direct,
    ...Object.fromEntries((options.envFile ?? []).flatMap(fromFile)),
    ...Object.fromEntries((options.env ?? []).map(assignment)),
  };
}

function assignment(text: string): [string, string] {
  const at = text.indexOf("=");
  if (at < 1 || text.includes("\0")) {
    throw new FirewallError(
      "invalid_environment",
      `Invalid environment variable format: ${text} (expected KEY=VALUE)`,
    );
  }
  return [text.slice(0, at), text.slice(at + 1)];
}

/** `KEY=VALUE` lines; `#` at the start of a line is a comment, matching quotes around a value are taken off. */
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
        // The line itself may be half a secret.
        throw new FirewallError(
          "invalid_environment",
          `Environment file ${path}: entry ${index + 1} is not KEY=VALUE`,
        );
      }
      const [name, value] = assignment(line);
      return [name.trim(), value.trim().replace(/^(["'])(.*)\1$/, "$2")];
    });
}
