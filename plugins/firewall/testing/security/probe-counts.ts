/** The tables that the security tests run, and how many probes each user and engine gets. */
import { credentialDirectories, credentialFiles } from "../../engine/credentials.js";
import { groups } from "./attempts.js";
import { startPaths } from "./start-paths.js";

/** Credentials, which stay hidden wherever they appear. */
export const secrets = [...credentialDirectories, ...credentialFiles];
/** Paths of the home directory that a command must not leave anything in, in any of the forms. */
export const homePaths = [...new Set([...startPaths, ...secrets])];
export const forms = { file: "echo evil >", directory: "mkdir", link: "ln -s ~/evil" };

/** What is done to each of those that are files, where they exist. */
export const existingForms: Readonly<Record<string, (path: string) => string>> = {
  "writing to": (path) => `echo evil >> ${path}; echo evil > ${path}`,
  replacing: (path) => `echo evil > ~/new; mv -f ~/new ${path}`,
  "removing and making": (path) => `rm -rf ${path}; echo evil > ${path}`,
  "changing the mode of": (path) => `chmod 777 ${path}; touch -d @1 ${path}`,
  "making a directory of": (path) => `rm -f ${path}; mkdir ${path}; echo evil > ${path}/evil`,
  "linking away": (path) => `echo evil > ~/evil; ln -sf ~/evil ${path}`,
};
/** awf keeps its own in two. */
const own = [".local/state/reeve", ".cache/reeve"];
export const homeFiles = homePaths.filter(
  (path) => !own.includes(path) && !homePaths.some((other) => other.startsWith(`${path}/`)),
);

export type Runner = "the caller" | "an ordinary user" | "containers";
const attempts = Object.values(groups).reduce((sum, { length }) => sum + length, 0);
const inHomes =
  homePaths.length * Object.keys(forms).length +
  homeFiles.length * Object.keys(existingForms).length +
  secrets.length;

/** Containers have no home directory of the host to leave anything in. */
export const probeCounts: Readonly<Record<Runner, number>> = {
  "the caller": attempts + inHomes,
  "an ordinary user": attempts + inHomes,
  containers: attempts,
};

const ran = new Map<string, number>();

/** Notes probes whose result a test has checked. */
export function noteProbes(runner: Runner, count = 1): void {
  ran.set(runner, (ran.get(runner) ?? 0) + count);
}

/** What this process has checked, a line for each user or engine. */
export const probesThatRan = (): string[] =>
  [...ran].map(([runner, count]) => `${count} probes held as ${runner}`);
