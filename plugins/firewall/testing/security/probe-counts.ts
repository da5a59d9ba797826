/** The tables that the security tests run, and how many probes each user and engine gets. */
import { credentialDirectories, credentialFiles } from "../../engine/credentials.js";
import { protectedPaths } from "../../engine/protected-paths.js";
import { groups } from "./attempts.js";

/** Credentials, which stay hidden wherever they appear. */
export const secrets = [...credentialDirectories, ...credentialFiles];
/** Paths of the home directory that a command must not leave anything in, in any of the forms. */
export const homePaths = [...new Set([...protectedPaths, ...secrets])];
export const forms = { file: "echo evil >", directory: "mkdir", link: "ln -s ~/evil" };

export type Runner = "the caller" | "an ordinary user" | "containers";
const attempts = Object.values(groups).reduce((sum, { length }) => sum + length, 0);
const inHomes = homePaths.length * Object.keys(forms).length + secrets.length;

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
