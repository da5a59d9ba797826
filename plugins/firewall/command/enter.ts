/** Starts the namespace of a run. That takes a while in another process, so it begins before the rest of awf is loaded. */
import { fstatSync } from "node:fs";
import { beginNamespace, type Namespace, type PendingNamespace } from "../engine/namespace.js";
import { installCommand, missingPackages } from "../engine/requirements.js";
import { FirewallError } from "../errors.js";
import { enterPlan, type NetworkSpec } from "../sandbox/spec.js";

/** Flags that may choose the Docker engine. */
const dockerFlags =
  /^(-[a-z]*[bk]|--(engine|agent-image|image-|build-local|skip-pull|keep-containers))/;

/** Starts early if the arguments look like a run and the system has all programs. */
export function beginRun(argv: readonly string[]): PendingNamespace | undefined {
  const end = argv.indexOf("--");
  const answers = ["-h", "--help", "-V", "--version", "--explain", "-"];
  if (end < 0 || end === argv.length - 1) return undefined;
  const options = argv.slice(0, end);
  if (options.some((word) => answers.includes(word) || dockerFlags.test(word))) return undefined;
  // The command may get another input.
  if (options.includes("--ask")) return undefined;
  if (missingPackages().length > 0 || isDirectory(0) || isRemoved()) return undefined;
  return begin("inherit");
}

type Input = "inherit" | "ignore";

function begin(input: Input): PendingNamespace {
  return beginNamespace([input, "inherit", "inherit"]);
}

/** @param started by `beginRun`. @param input if it is not. @throws {FirewallError} `missing_programs`, `cannot_isolate` */
export async function enter(
  spec: NetworkSpec,
  started: PendingNamespace | undefined,
  input: Input,
): Promise<{ namespace: Namespace; abandon: () => Promise<void> }> {
  if (!started) refuseMissing(missingPackages());
  if (isDirectory(0)) {
    throw new FirewallError(
      "directory_as_input",
      "The standard input is a directory, which would lead out of the sandbox. Redirect it, for example with </dev/null",
    );
  }
  const pending = started ?? begin(input);
  const namespace = await pending.open(enterPlan(spec));
  return { namespace, abandon: () => pending.abandon() };
}

/** Whether the current directory was removed. */
function isRemoved(): boolean {
  try {
    process.cwd();
    return false;
  } catch {
    return true;
  }
}

function isDirectory(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isDirectory();
  } catch {
    // It is closed.
    return false;
  }
}

/** @param missing Debian packages. @throws {FirewallError} `missing_programs` if there are any */
export function refuseMissing(missing: readonly string[]): void {
  if (missing.length === 0) return;
  throw new FirewallError(
    "missing_programs",
    `awf needs ${missing.join(" and ")}, which this system lacks. Run: ${installCommand(missing)}`,
  );
}
