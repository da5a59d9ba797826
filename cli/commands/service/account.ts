/** The account that a system service runs as. */
import { chmodSync, chownSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Exit, Failure } from "../../plugin-api/exit.js";
import { output } from "./manager.js";

export interface ServiceAccount {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** `undefined` if there is no such user, in any directory service that the C library knows. */
export function accountOf(name: string): ServiceAccount | undefined {
  let line: string;
  try {
    line = output(["getent", "passwd", name]);
  } catch {
    return undefined;
  }
  const [found = "", , uid, gid] = line.trim().split(":");
  return { name: found, uid: Number(uid), gid: Number(gid) };
}

/** @throws Failure */
export function createAccount(name: string): ServiceAccount {
  const group = readFileSync("/etc/group", "utf8").includes(`\n${name}:`)
    ? "--gid"
    : "--user-group";
  const shell = "/usr/sbin/nologin";
  output([
    ...[
      "useradd",
      "--system",
      "--home-dir",
      "/var/lib/reeve",
      "--no-create-home",
      "--shell",
      shell,
    ],
    ...(group === "--gid" ? ["--gid", name] : [group]),
    name,
  ]);
  const account = accountOf(name);
  if (account === undefined) throw new Failure(Exit.unavailable, `cannot create the user ${name}`);
  return account;
}

/** Lets a group read a directory and what is in it, except the repository's own files. */
export function grantRead(path: string, gid: number): void {
  const found = lstatSync(path);
  if (found.isSymbolicLink()) return;
  const search = found.isDirectory() || (found.mode & 0o100) !== 0 ? 0o010 : 0;
  chownSync(path, found.uid, gid);
  chmodSync(path, (found.mode & 0o7777) | 0o040 | search);
  if (!found.isDirectory()) return;
  for (const name of readdirSync(path)) if (name !== ".git") grantRead(join(path, name), gid);
}
