/** Reads the relevant settings of `.yarnrc.yml`, and writes the one that Yarn gets instead. */

import type { Credential } from "../../../registries/contract.js";
import { readYaml } from "../../../text/yaml.js";
import type { ProjectSources } from "../../contract.js";
import { credentialKey } from "../../lock/npm/options.js";
import { within } from "../../paths.js";

type BerrySettings = Readonly<Record<string, unknown>>;

/** Empty if the file is missing or unreadable. */
export function berrySettings({
  directory,
  files,
}: Pick<ProjectSources, "directory" | "files">): BerrySettings {
  const file = within(directory, ".yarnrc.yml");
  const text = files.get(file);
  if (text === undefined) return {};
  try {
    const settings = readYaml(file, text).toJS() as unknown;
    return typeof settings === "object" && settings !== null ? (settings as BerrySettings) : {};
  } catch {
    return {};
  }
}

/** The settings that change yarn.lock. All others may name code or local paths. */
const TAKEN = [
  "approvedGitRepositories",
  "catalog",
  "catalogs",
  "checksumBehavior",
  "compressionLevel",
  "defaultProtocol",
  "enableTransparentWorkspaces",
  "npmMinimalAgeGate",
  "npmPreapprovedPackages",
  "packageExtensions",
  "supportedArchitectures",
];

/** Yarn's plugins that add commands only and do not affect resolution. */
const HARMLESS = new Set(
  [
    "constraints",
    "exec",
    "interactive-tools",
    "outdated",
    "stage",
    "typescript",
    "version",
    "workspace-tools",
  ].map((name) => `@yarnpkg/plugin-${name}`),
);

/** Plugins whose code might decide what is in the lock file. */
export function foreignPlugins({ plugins }: BerrySettings): readonly string[] {
  const specs = Array.isArray(plugins) ? plugins : [];
  return specs
    .map((each: unknown) =>
      typeof each === "string" ? each : String((each as { spec?: unknown } | null)?.spec),
    )
    .filter((spec) => !HARMLESS.has(spec));
}

export interface BerryOptions {
  readonly version: string;
  /** Registry by scope; `""` is everything else. */
  readonly registries: Readonly<Record<string, string>>;
  readonly credentials: readonly Credential[];
  readonly globalFolder: string;
  /** Plugins, if they may run. */
  readonly plugins?: unknown;
}

/** Writes our own `.yarnrc.yml`. JSON is valid YAML. */
export function ownSettings(own: BerrySettings, options: BerryOptions): string {
  const { registries, credentials, version, globalFolder } = options;
  const urls = Object.values(registries);
  const taken = TAKEN.flatMap((name) => (own[name] === undefined ? [] : [[name, own[name]]]));
  const scopes = Object.entries(registries).filter(([scope]) => scope !== "");
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const settings = {
    // Reeve has checked the release's age, unless the repository sets it.
    ...(major >= 4 && minor >= 10 ? { npmMinimalAgeGate: 0 } : {}),
    ...(major >= 4 ? { enableHardenedMode: false } : {}),
    ...Object.fromEntries(taken),
    ...(options.plugins === undefined ? {} : { plugins: options.plugins }),
    enableGlobalCache: true,
    enableImmutableInstalls: false,
    enableScripts: false,
    enableTelemetry: false,
    globalFolder,
    httpRetry: 1,
    httpTimeout: 20_000,
    npmRegistryServer: registries[""],
    npmScopes: Object.fromEntries(
      scopes.map(([scope, url]) => [scope.slice(1), { npmRegistryServer: url }]),
    ),
    npmRegistries: Object.fromEntries(credentials.map((each) => [each.url, login(each)])),
    unsafeHttpWhitelist: urls
      .filter((url) => url.startsWith("http:"))
      .map((url) => new URL(url).hostname),
  };
  return `${JSON.stringify(settings, null, 2)}\n`;
}

function login({ authorization }: Credential): Readonly<Record<string, unknown>> {
  const [scheme = "", secret = ""] = authorization.split(" ");
  if (/^bearer$/i.test(scheme)) return { npmAlwaysAuth: true, npmAuthToken: secret };
  return { npmAlwaysAuth: true, npmAuthIdent: Buffer.from(secret, "base64").toString("utf8") };
}

/** Logins in npmrc format: `//host/path/:_authToken=…`. */
export const npmrcLogins = (credentials: readonly Credential[]): string =>
  credentials
    .map(({ url, authorization }) => {
      const [scheme = "", secret = ""] = authorization.split(" ");
      return `${credentialKey(url)}:${/^bearer$/i.test(scheme) ? "_authToken" : "_auth"}=${secret}\n`;
    })
    .join("");
