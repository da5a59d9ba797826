/** Which sockets and pipes the processes of a sandbox made. */
import { execFile } from "node:child_process";
import { lstatSync, readFileSync, statSync } from "node:fs";
import { promisify } from "node:util";
import { helper, helperPath } from "./helpers.js";
import { isWithin } from "./paths.js";
import { list, processesBelow, read } from "./processes.js";

/** The others. A pipe counts as made inside if a process has it open there. */
export async function withoutOwn(pid: number, paths: readonly string[]): Promise<string[]> {
  const isSocket = (path: string) =>
    lstatSync(path, { throwIfNoEntry: false })?.isSocket() === true;
  const sockets = paths.some(isSocket) ? await socketFiles(pid) : new Set<string>();
  return paths.filter((path) =>
    isSocket(path) ? !identities(path).some((file) => sockets.has(file)) : !isOpen(pid, path),
  );
}

/**
 * The files of the sockets of a process's network namespace, as inode and device. A name with a line break could look
 * like another socket's line of `ss`, but not at the same time like a line of the kernel's table.
 */
async function socketFiles(pid: number): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  if (hasLineBreaks(pid)) return found;
  const user = process.getuid?.() === 0 ? [] : ["--user", "--preserve-credentials"];
  const target = ["--target", String(pid), ...user, "--net", "--"];
  const words = [...target, helper("ss"), "--no-header", "--unix", "--all", "--extended"];
  const options = { env: { PATH: helperPath }, maxBuffer: 64 * 1024 * 1024 };
  const { stdout } = await promisify(execFile)(helper("nsenter"), words, options).catch(() => ({
    stdout: "",
  }));
  if (hasLineBreaks(pid)) return found;
  for (const line of stdout.split("\n")) {
    const [, inode, major, minor] = /^u_.* <-> ino:(\d+) dev:(\d+)\/(\d+)/.exec(line) ?? [];
    // The kernel's form of a device; newer kernels report the programs' form, which `ss` splits wrongly.
    if (inode !== undefined) found.add(`${inode} ${Number(major) * 2 ** 20 + Number(minor)}`);
  }
  return found;
}

const tableLine = /^[0-9a-f]+: [0-9A-F]{8} [0-9A-F]{8} [0-9A-F]{8} [0-9A-F]{4} [0-9A-F]{2} +\d+/;

const hasLineBreaks = (pid: number): boolean =>
  read(`/proc/${pid}/net/unix`)
    .split("\n")
    .slice(1, -1)
    .some((line) => !tableLine.test(line));

/** Both forms, for the device of the file system that the path is on: `stat` may name a part of it. */
function identities(path: string): string[] {
  const inode = lstatSync(path, { throwIfNoEntry: false })?.ino;
  const [major = 0, minor = 0] = deviceOf(path);
  const ofPrograms = (minor & 0xff) + major * 2 ** 8 + (minor - (minor & 0xff)) * 2 ** 12;
  return [major * 2 ** 20 + minor, ofPrograms].map((device) => `${inode} ${device}`);
}

/** The fields of a mount: number, parent, device, root and mount point. */
function deviceOf(path: string): number[] {
  let nearest = { point: "", device: "" };
  for (const line of readFileSync("/proc/self/mountinfo", "utf8").split("\n")) {
    const [, , device = "", , text] = line.split(" ");
    if (text === undefined) continue;
    const point = text.replace(/\\(\d{3})/g, (_, octal) =>
      String.fromCharCode(Number.parseInt(octal, 8)),
    );
    const covers = point === "/" || isWithin(path, point);
    if (covers && point.length >= nearest.point.length) nearest = { point, device };
  }
  return nearest.device.split(":").map(Number);
}

function isOpen(pid: number, path: string): boolean {
  const file = lstatSync(path, { throwIfNoEntry: false });
  return processesBelow([pid]).some((process) =>
    list(`/proc/${process}/fd`).some((descriptor) => {
      try {
        const { dev, ino } = statSync(`/proc/${process}/fd/${descriptor}`);
        return dev === file?.dev && ino === file.ino;
      } catch {
        return false;
      }
    }),
  );
}
