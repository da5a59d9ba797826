/** `awf doctor`: checks this system's requirements. */
import { examineSystem } from "../engine/requirements.js";

/** Returns 0 if this system meets all requirements. */
export function doctor(argv: readonly string[]): number {
  const unknown = argv.find((argument) => !["--json", "-h", "--help"].includes(argument));
  if (unknown !== undefined) {
    process.stderr.write(`error: unknown option '${unknown}'\n`);
    return 1;
  }
  if (argv.includes("-h") || argv.includes("--help")) {
    process.stdout.write(
      "Usage: awf doctor [--json]\n\nLists what this system lacks, with the command that installs or enables it.\n",
    );
    return 0;
  }
  const findings = examineSystem();
  const ok = findings.every((finding) => finding.ok);
  if (argv.includes("--json")) {
    process.stdout.write(`${JSON.stringify({ ok, findings }, undefined, 2)}\n`);
    return ok ? 0 : 1;
  }
  for (const { name, ok: fine, detail, remedy } of findings) {
    process.stdout.write(`${fine ? "ok     " : "missing"}  ${name}: ${detail}\n`);
    if (remedy !== undefined) process.stdout.write(`         do: ${remedy}\n`);
  }
  process.stdout.write(ok ? "awf can run commands here.\n" : "awf cannot run commands here yet.\n");
  return ok ? 0 : 1;
}
