/** The native engine's system call filter as a profile for container engines. */
import {
  allowedFamilies,
  newUserNamespace,
  refusedCalls,
  terminalInjection,
} from "../system-calls.js";

const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

interface Condition {
  readonly index: number;
  readonly op: "SCMP_CMP_EQ" | "SCMP_CMP_GT" | "SCMP_CMP_MASKED_EQ";
  readonly value: number;
  readonly valueTwo?: number;
}

interface Rule {
  readonly names: readonly string[];
  readonly action: "SCMP_ACT_ERRNO";
  readonly errnoRet: number;
  readonly args?: readonly Condition[];
}

/** Allows everything that is not refused. Calls of another architecture kill the process. */
export function seccompProfile(): { defaultAction: string; syscalls: readonly Rule[] } {
  const highest = Math.max(...allowedFamilies);
  const between = Array.from({ length: highest }, (_, family) => family);
  return {
    defaultAction: "SCMP_ACT_ALLOW",
    syscalls: [
      refuse(refusedCalls, EPERM),
      // Without clone3, C libraries use clone, whose flags the filter can check.
      refuse(["clone3"], ENOSYS),
      refuse(["clone"], EPERM, {
        index: 0,
        op: "SCMP_CMP_MASKED_EQ",
        value: newUserNamespace,
        valueTwo: newUserNamespace,
      }),
      refuse(["socket"], EAFNOSUPPORT, { index: 0, op: "SCMP_CMP_GT", value: highest }),
      ...between
        .filter((family) => !allowedFamilies.includes(family))
        .map((family) =>
          refuse(["socket"], EAFNOSUPPORT, { index: 0, op: "SCMP_CMP_EQ", value: family }),
        ),
      ...terminalInjection.map((value) =>
        refuse(["ioctl"], EPERM, { index: 1, op: "SCMP_CMP_EQ", value }),
      ),
    ],
  };
}

function refuse(names: readonly string[], errnoRet: number, ...args: readonly Condition[]): Rule {
  return { names, action: "SCMP_ACT_ERRNO", errnoRet, ...(args.length > 0 ? { args } : {}) };
}
