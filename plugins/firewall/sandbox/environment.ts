/** The environment of a sandboxed command. */
import { hostAlias, proxyPort } from "./spec.js";

/** Passed where the host has them. Tokens are among them because users of agents expect it. */
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

/** Never passed: they belong to the shell that started awf, or lead out of the sandbox. */
const neverPassed =
  /^(?:PATH|PWD|OLDPWD|SHLVL|_|SUDO_.*|NODE_CHANNEL_FD|NODE_CHANNEL_SERIALIZATION_MODE|SSH_AUTH_SOCK|DBUS_SESSION_BUS_ADDRESS|XDG_RUNTIME_DIR|DISPLAY|WAYLAND_DISPLAY|DOCKER_HOST|[a-z_]+_proxy|[A-Z]+_PROXY)$/;

const proxyUrl = `http://127.0.0.1:${proxyPort}`;
const proxyVariables = [
  "HTTP_PROXY",
  "http_proxy",
  "HTTPS_PROXY",
  "https_proxy",
  "ALL_PROXY",
  "all_proxy",
];

export interface EnvironmentRequest {
  readonly host: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly hostAccess: boolean;
  /** Pass the host's whole environment. */
  readonly all?: boolean;
  readonly excluded?: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
}

export function sandboxEnvironment({
  host,
  home,
  hostAccess,
  all = false,
  excluded = [],
  variables = {},
}: EnvironmentRequest): Record<string, string> {
  const names = all ? Object.keys(host).filter((name) => !neverPassed.test(name)) : passedByDefault;
  const passed = names.flatMap((name): Array<[string, string]> => {
    const value = host[name];
    return value === undefined || excluded.includes(name) ? [] : [[name, value]];
  });
  const direct = ["localhost", "127.0.0.1", "::1", ...(hostAccess ? [hostAlias] : [])].join(",");
  return {
    PATH: host.PATH ?? "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    ...Object.fromEntries(passed),
    HOME: home,
    ...Object.fromEntries(proxyVariables.map((name) => [name, proxyUrl])),
    NO_PROXY: direct,
    no_proxy: direct,
    ...variables,
  };
}
