/** What the engines need of a system, and how to install it. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { hasEngine } from "./docker/endpoint.js";
import { findHelper, helper } from "./helpers.js";

/** Program, its Debian package and its purpose. */
const programs: ReadonlyArray<readonly [program: string, debianPackage: string, purpose: string]> =
  [
    ["unshare", "util-linux", "makes the network namespace"],
    ["setpriv", "util-linux", "ends the command with awf, however awf ends"],
    ["ip", "iproute2", "makes every address local in it"],
    ["bwrap", "bubblewrap", "makes the file system view and drops privileges"],
    [
      "mount",
      "mount",
      "shows the home directory, and hides sockets that the host opens during a run",
    ],
    ["tar", "tar", "makes the layers that hide secrets of the home directory"],
    ["bash", "bash", "runs a command that is one shell line"],
  ];

const terminalProgram = ["script", "bsdutils", "only --tty needs it"] as const;

export interface RequirementCheck {
  readonly name: string;
  readonly ok: boolean;
  /** What was found, or what is wrong. */
  readonly detail: string;
  /** How to fix it. */
  readonly remedy?: string;
}

/** The Docker engine does not need these. */
const nativeOnly = ["unshare", "bwrap", "mount"];

/** Debian packages of missing programs. */
export function missingPackages(engine: "native" | "docker" = "native"): string[] {
  const needed =
    engine === "native" ? programs : programs.filter(([program]) => !nativeOnly.includes(program));
  const missing = needed.filter(([program]) => findHelper(program) === undefined);
  return [...new Set(missing.map(([, name]) => name))];
}

export function installCommand(packages: readonly string[]): string {
  const sudo = process.getuid?.() === 0 ? "" : "sudo ";
  return `${sudo}apt-get install -y ${packages.join(" ")}`;
}

/** Why this machine cannot start sandboxes, if so. */
export function lackOf(): string | undefined {
  const missing = missingPackages();
  if (missing.length === 0) return undefined;
  return `Sandboxes need ${missing.join(" and ")}, which this machine lacks. Run: ${installCommand(missing)}`;
}

/** Tests every requirement in practice. */
export function examineSystem(): RequirementCheck[] {
  return [
    system(),
    ...programs.map(programFinding),
    programFinding(terminalProgram),
    namespaces(),
    limits(),
    docker(),
  ];
}

function docker(): RequirementCheck {
  const detail = hasEngine()
    ? "an engine is there; --engine docker can be used"
    : "only --engine docker and options of images need it, as root";
  return { name: "docker", ok: true, detail };
}

function system(): RequirementCheck {
  const fits = process.platform === "linux" && (process.arch === "x64" || process.arch === "arm64");
  const detail = `${process.platform} ${process.arch}, Node.js ${process.versions.node}`;
  const remedy = "awf runs on Linux on x64 and arm64; elsewhere run it in a Linux virtual machine";
  return { name: "system", ok: fits, detail, ...(fits ? {} : { remedy }) };
}

function programFinding([
  program,
  debianPackage,
  purpose,
]: (typeof programs)[number]): RequirementCheck {
  const found = findHelper(program);
  if (found === undefined) {
    return {
      name: program,
      ok: false,
      detail: `not found in a directory that only root can change; ${purpose}`,
      remedy: installCommand([debianPackage]),
    };
  }
  return { name: program, ok: true, detail: found };
}

function namespaces(): RequirementCheck {
  const name = "namespaces";
  const user = process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"];
  const { status, stderr, error } = spawnSync(
    helper("unshare"),
    [...user, "--net", "--", helper("true")],
    {
      encoding: "utf8",
    },
  );
  if (status === 0) {
    return { name, ok: true, detail: user.length === 0 ? "as root" : "without root" };
  }
  const reason = (error?.message ?? stderr).trim();
  return { name, ok: false, detail: `cannot be made: ${reason}`, remedy: namespaceRemedy() };
}

/** The kernel setting that most likely forbids namespaces. */
function namespaceRemedy(): string {
  const values = [
    "kernel/apparmor_restrict_unprivileged_userns",
    "kernel/unprivileged_userns_clone",
    "user/max_user_namespaces",
  ].map(setting);
  const [apparmor, clone, most] = values;
  if (apparmor === "1")
    return "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, or run awf as root";
  if (clone === "0") return "sudo sysctl -w kernel.unprivileged_userns_clone=1, or run awf as root";
  if (most === "0") return "sudo sysctl -w user.max_user_namespaces=15000, or run awf as root";
  return "run awf as root, or outside the container that forbids namespaces";
}

function setting(name: string): string | undefined {
  try {
    return readFileSync(`/proc/sys/${name}`, "utf8").trim();
  } catch {
    return undefined;
  }
}

function limits(): RequirementCheck {
  const detail =
    process.getuid?.() === 0
      ? "--memory and --pids can be used"
      : "--memory and --pids need root or a delegated control group";
  return { name: "limits", ok: true, detail };
}
