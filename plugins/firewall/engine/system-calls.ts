/** System call numbers by architecture, from the kernel's `unistd` tables. */
import { FirewallError } from "../errors.js";

export type Architecture = "x64" | "arm64";

export interface SystemCalls {
  /** `AUDIT_ARCH_…`. */
  readonly audit: number;
  /** First number of the second calling convention (x32), which the tables do not cover. */
  readonly secondAbi?: number;
  /** Refused with any arguments. */
  readonly refused: readonly number[];
  readonly clone: number;
  readonly clone3: number;
  readonly socket: number;
  readonly ioctl: number;
}

/** Name → numbers on x64 and arm64; undefined if the architecture lacks the call. */
const refused: Readonly<Record<string, readonly [x64: number, arm64: number | undefined]>> = {
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  process_madvise: [440, 440],
  kcmp: [312, 272],
  pidfd_getfd: [438, 438],
  unshare: [272, 97],
  setns: [308, 268],
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  open_tree_attr: [467, 467],
  name_to_handle_at: [303, 264],
  open_by_handle_at: [304, 265],
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  reboot: [169, 142],
  swapon: [167, 224],
  swapoff: [168, 225],
  acct: [163, 89],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  syslog: [103, 116],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  clock_adjtime: [305, 266],
  adjtimex: [159, 171],
  vhangup: [153, 58],
  lookup_dcookie: [212, 18],
  nfsservctl: [180, 42],
  uselib: [134, undefined],
  ustat: [136, undefined],
  sysfs: [139, undefined],
  iopl: [172, undefined],
  ioperm: [173, undefined],
  create_module: [174, undefined],
  query_module: [178, undefined],
};

const own: Readonly<Record<Architecture, Omit<SystemCalls, "refused">>> = {
  x64: {
    audit: 0xc000003e,
    secondAbi: 0x40000000,
    clone: 56,
    clone3: 435,
    socket: 41,
    ioctl: 16,
  },
  arm64: { audit: 0xc00000b7, clone: 220, clone3: 435, socket: 198, ioctl: 29 },
};

/** Calls that are refused with any arguments on every architecture. */
export const refusedCalls: readonly string[] = Object.keys(refused);

/** Address families that a command may open. Others (VSOCK, ALG, PACKET, …) bypass the network namespace. */
export const families = { unix: 1, inet: 2, inet6: 10, netlink: 16 } as const;
export const allowedFamilies: readonly number[] = Object.values(families);
/** The flag of `clone`. */
export const newUserNamespace = 0x10000000;
/** Requests of `ioctl` that put input into a terminal, as if the user had typed it. */
export const terminalInjection: readonly number[] = [0x5412, 0x541c];

/** @throws {FirewallError} `unknown_architecture` */
export function numbersFor(architecture: Architecture): SystemCalls {
  const calls = own[architecture];
  if (!calls) {
    throw new FirewallError(
      "unknown_architecture",
      `The sandbox has no system call filter for ${architecture}; it runs on x64 and arm64`,
    );
  }
  const column = architecture === "x64" ? 0 : 1;
  const numbers = Object.values(refused).map((row) => row[column]);
  return { ...calls, refused: numbers.filter((number) => number !== undefined) };
}
