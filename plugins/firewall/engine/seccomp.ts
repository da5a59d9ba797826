/** The system call filter as a classic BPF program. */
import { endianness } from "node:os";
import {
  type Architecture,
  families,
  newUserNamespace,
  numbersFor,
  terminalInjection,
} from "./system-calls.js";

const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

const allow = 0x7fff0000;
const refuse = (errno: number): number => 0x00050000 | errno;

/** Offsets in `struct seccomp_data`; of arguments the low halves on a little-endian machine. */
const offset = { number: 0, architecture: 4, argument0: 16, argument1: 24 };

const load = 0x20; // BPF_LD | BPF_W | BPF_ABS
const jumpIfEqual = 0x15;
const jumpIfAtLeast = 0x35;
const jumpIfAnyBit = 0x45;
const answer = 0x06;

type Instruction = readonly [code: number, yes: number, no: number, value: number];

/**
 * The filter for this machine. Refuses with EPERM what could reach out of the sandbox (other processes' memory,
 * mounts, namespaces, kernel keys, BPF, module loading, …); allows everything else.
 */
export function seccompFilter(architecture: Architecture = process.arch as Architecture): Buffer {
  const { audit, refused, clone, clone3, socket, ioctl, secondAbi } = numbersFor(architecture);
  const program: Instruction[] = [
    [load, 0, 0, offset.architecture],
    [jumpIfEqual, 1, 0, audit],
    [answer, 0, 0, refuse(ENOSYS)],
    [load, 0, 0, offset.number],
    ...(secondAbi === undefined
      ? []
      : ([
          [jumpIfAtLeast, 0, 1, secondAbi],
          [answer, 0, 0, refuse(ENOSYS)],
        ] satisfies Instruction[])),
    // Without clone3, C libraries use clone, whose flags the filter can check.
    [jumpIfEqual, 0, 1, clone3],
    [answer, 0, 0, refuse(ENOSYS)],
    ...refused.flatMap((number): Instruction[] => [
      [jumpIfEqual, 0, 1, number],
      [answer, 0, 0, refuse(EPERM)],
    ]),
    [jumpIfEqual, 0, 4, clone],
    [load, 0, 0, offset.argument0],
    [jumpIfAnyBit, 0, 1, newUserNamespace],
    [answer, 0, 0, refuse(EPERM)],
    [answer, 0, 0, allow],
    [jumpIfEqual, 0, 7, socket],
    [load, 0, 0, offset.argument0],
    [jumpIfEqual, 3, 0, families.unix],
    [jumpIfEqual, 2, 0, families.inet],
    [jumpIfEqual, 1, 0, families.inet6],
    [jumpIfEqual, 0, 1, families.netlink],
    [answer, 0, 0, allow],
    [answer, 0, 0, refuse(EAFNOSUPPORT)],
    [jumpIfEqual, 0, 5, ioctl],
    [load, 0, 0, offset.argument1],
    [jumpIfEqual, 1, 0, terminalInjection[0] ?? 0],
    [jumpIfEqual, 0, 1, terminalInjection[1] ?? 0],
    [answer, 0, 0, refuse(EPERM)],
    [answer, 0, 0, allow],
    [answer, 0, 0, allow],
  ];
  return assemble(program);
}

function assemble(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  const little = endianness() === "LE";
  program.forEach(([code, yes, no, value], index) => {
    const at = index * 8;
    if (little) {
      bytes.writeUInt16LE(code, at);
      bytes.writeUInt32LE(value >>> 0, at + 4);
    } else {
      bytes.writeUInt16BE(code, at);
      bytes.writeUInt32BE(value >>> 0, at + 4);
    }
    bytes.writeUInt8(yes, at + 2);
    bytes.writeUInt8(no, at + 3);
  });
  return bytes;
}
