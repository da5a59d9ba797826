/** Converts config files of version 1 and 2 to update configs. Pure. */
import { cronFault, isTimeZone } from "reeve/plugin";
import { parseDocument } from "yaml";
import { type PackageManager, packageManager } from "../managers/index.js";
import type { ConfigExtras } from "../store/configs.js";
import { directoriesLike, isPattern } from "./directories.js";
import { listIn, mappingIn, stringIn, type YamlMapping } from "./values.js";
import { extrasOfVersion1, rulesOfVersion1 } from "./version-1.js";
import { extrasOfVersion2, rulesOfVersion2 } from "./version-2.js";
import { entryFaults, fileFaults, registries } from "./version-2-keys.js";

export interface FileConfig {
  readonly packageManager: PackageManager;
  readonly directory: string;
  readonly schedule: "live" | "daily" | "weekly" | "monthly";
  /** Empty: the default branch. */
  readonly targetBranch: string;
  readonly automergeRuntime: string;
  readonly automergeDevelopment: string;
  readonly extras: ConfigExtras;
}

export interface ConfigFileResult {
  readonly configs: readonly FileConfig[];
  /** One sentence each; entries without faults still count. */
  readonly faults: readonly string[];
}

/** @param files paths of all files in the repository: patterns in `directories` are matched against them */
export async function readConfigFile(
  text: string,
  files: readonly string[] = [],
): Promise<ConfigFileResult> {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error) return { configs: [], faults: [`It is not valid YAML: ${firstLine(error.message)}.`] };
  const file = mappingIn(document.toJS({ maxAliasCount: 100 }) as unknown);
  const version = file?.version;
  if (file && (version === 1 || version === "1"))
    return entries(file.update_configs, files, version1);
  if (file && (version === 2 || version === "2")) {
    const read = await entries(file.updates, files, version2);
    return { ...read, faults: [...fileFaults(file), ...read.faults] };
  }
  return { configs: [], faults: ["It must say `version: 1` or `version: 2`."] };
}

type Entry = (
  entry: YamlMapping,
  fault: (text: string) => void,
  files: readonly string[],
) => readonly FileConfig[] | Promise<readonly FileConfig[]>;

async function entries(
  value: unknown,
  files: readonly string[],
  read: Entry,
): Promise<ConfigFileResult> {
  const faults: string[] = [];
  const configs: FileConfig[] = [];
  for (const [index, each] of listIn(value).entries()) {
    const fault = (text: string): void => {
      faults.push(`Entry ${index + 1}: ${text}`);
    };
    const entry = mappingIn(each);
    if (entry) configs.push(...(await read(entry, fault, files)));
    else fault("it is not a mapping.");
  }
  if (!Array.isArray(value)) faults.push("It has no list of updates.");
  return { configs: withoutRepeats(configs, faults), faults };
}

function withoutRepeats(configs: readonly FileConfig[], faults: string[]): readonly FileConfig[] {
  const seen = new Set<string>();
  return configs.filter(({ packageManager: id, directory, targetBranch }) => {
    const key = `${id} ${directory} ${targetBranch}`;
    if (!seen.has(key)) return seen.add(key);
    faults.push(`${id} in ${directory} is there twice; the first one counts.`);
    return false;
  });
}

const version1: Entry = (entry, fault) => {
  const id = managerIn(entry.package_manager, fault);
  if (!id) return [];
  const schedule = stringIn(entry.update_schedule) ?? "live";
  if (!["live", "daily", "weekly", "monthly"].includes(schedule)) {
    fault(`update_schedule must be live, daily, weekly or monthly, not ${schedule}.`);
    return [];
  }
  return [
    {
      packageManager: id,
      directory: directoryOf(stringIn(entry.directory) ?? "/"),
      schedule: schedule as FileConfig["schedule"],
      targetBranch: stringIn(entry.target_branch) ?? "",
      ...rulesOfVersion1(entry),
      extras: extrasOfVersion1(entry),
    },
  ];
};

const version2: Entry = async (entry, fault, files) => {
  const id = managerIn(entry["package-ecosystem"], fault);
  if (!id) return [];
  const interval = stringIn(mappingIn(entry.schedule)?.interval) ?? "daily";
  const schedule = INTERVALS[interval];
  if (schedule === undefined) {
    const known = Object.keys(INTERVALS).join(", ");
    fault(`schedule.interval must be one of ${known}, not ${interval}.`);
    return [];
  }
  for (const text of entryFaults(entry)) fault(text);
  const extras = extrasOfVersion2(entry);
  const scheduleError = scheduleFault(interval, extras);
  if (scheduleError !== undefined) {
    fault(scheduleError);
    return [];
  }
  if ("registries" in entry) fault(registries);
  const directories = await directoriesIn(entry, id, files, fault);
  return directories.map((directory) => ({
    packageManager: id,
    directory,
    schedule,
    targetBranch: stringIn(entry["target-branch"]) ?? "",
    ...rulesOfVersion2(entry),
    extras,
  }));
};

/** Reads `directory`, or expands the patterns in `directories`. */
async function directoriesIn(
  entry: YamlMapping,
  id: PackageManager,
  files: readonly string[],
  fault: (text: string) => void,
): Promise<readonly string[]> {
  const single = stringIn(entry.directory);
  if (single !== undefined) return [directoryOf(single)];
  const named = listIn(entry.directories).flatMap((each) => {
    const written = stringIn(each);
    return written === undefined ? [] : directoryOf(written);
  });
  const all = new Set<string>();
  for (const each of named) {
    const found = isPattern(each) ? await directoriesLike(each, id, files) : [each];
    if (found.length === 0) fault(`no directory like ${each} has a manifest of ${id}.`);
    for (const directory of found) all.add(directory);
  }
  return [...all];
}

/** The closest schedule of the API; the exact one is in the extras. */
const INTERVALS: Readonly<Record<string, FileConfig["schedule"]>> = {
  daily: "daily",
  weekly: "weekly",
  monthly: "monthly",
  quarterly: "monthly",
  semiannually: "monthly",
  yearly: "monthly",
  cron: "daily",
};

function scheduleFault(interval: string, { cron, timeZone }: ConfigExtras): string | undefined {
  if (timeZone !== undefined && !isTimeZone(timeZone))
    return `schedule.timezone must be a time zone such as Europe/Berlin, not ${timeZone}.`;
  if (interval !== "cron") return undefined;
  if (cron === undefined) return "schedule.interval cron needs a cronjob.";
  const why = cronFault(cron);
  return why === undefined ? undefined : `schedule.cronjob ${cron} cannot be read: ${why}.`;
}

function managerIn(value: unknown, fault: (text: string) => void): PackageManager | undefined {
  const name = stringIn(value);
  const id = name === undefined ? undefined : packageManager(name);
  if (!id)
    fault(
      name === undefined ? "it names no package manager." : `there is no package manager ${name}.`,
    );
  return id;
}

function directoryOf(written: string): string {
  const parts = written.split("/").filter((part) => part !== "" && part !== "." && part !== "..");
  return `/${parts.join("/")}`;
}

const firstLine = (text: string): string => (text.split("\n")[0] ?? "").replace(/[.:]+$/, "");
