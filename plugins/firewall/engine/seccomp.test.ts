import test from "ava";
import { seccompFilter } from "./seccomp.js";
import { type Architecture, numbersFor } from "./system-calls.js";

interface Call {
  readonly number: number;
  readonly architecture?: number;
  readonly arguments?: readonly number[];
}

/** Interprets the program as the kernel does. */
function answer(
  filter: Buffer,
  { number, architecture = 0xc000003e, arguments: words = [] }: Call,
): number {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number, 0);
  data.writeUInt32LE(architecture, 4);
  words.forEach((word, index) => {
    data.writeUInt32LE(word >>> 0, 16 + index * 8);
  });
  let accumulator = 0;
  for (let at = 0; ; at += 1) {
    const [code, value] = [filter.readUInt16LE(at * 8), filter.readUInt32LE(at * 8 + 4)];
    const [yes, no] = [filter.readUInt8(at * 8 + 2), filter.readUInt8(at * 8 + 3)];
    if (code === 0x06) return value;
    if (code === 0x20) accumulator = data.readUInt32LE(value);
    else if (code === 0x15) at += accumulator === value ? yes : no;
    else if (code === 0x35) at += accumulator >= value ? yes : no;
    else if (code === 0x45) at += (accumulator & value) !== 0 ? yes : no;
    else throw new Error(`unknown instruction ${code}`);
  }
}

const allow = 0x7fff0000;
const fails = (errno: number) => 0x00050000 | errno;
const filter = seccompFilter("x64");
const x64 = numbersFor("x64");

const calls: ReadonlyArray<readonly [name: string, call: Call, verdict: number]> = [
  ["read", { number: 0 }, allow],
  ["execve", { number: 59 }, allow],
  ["ptrace", { number: 101 }, fails(1)],
  ["mount", { number: 165 }, fails(1)],
  ["unshare", { number: 272 }, fails(1)],
  ["setns", { number: 308 }, fails(1)],
  ["bpf", { number: 321 }, fails(1)],
  ["io_uring_setup", { number: 425 }, fails(1)],
  ["open_by_handle_at", { number: 304 }, fails(1)],
  ["keyctl", { number: 250 }, fails(1)],
  ["clone of a thread", { number: 56, arguments: [0x3d0f00] }, allow],
  ["clone into a new user namespace", { number: 56, arguments: [0x10000000 | 17] }, fails(1)],
  ["clone3", { number: 435 }, fails(38)],
  ["an IPv4 socket", { number: 41, arguments: [2] }, allow],
  ["an IPv6 socket", { number: 41, arguments: [10] }, allow],
  ["a UNIX socket", { number: 41, arguments: [1] }, allow],
  ["a netlink socket", { number: 41, arguments: [16] }, allow],
  ["a vsock", { number: 41, arguments: [40] }, fails(97)],
  ["an algorithm socket", { number: 41, arguments: [38] }, fails(97)],
  ["typing into the terminal", { number: 16, arguments: [0, 0x5412] }, fails(1)],
  ["pasting into a console", { number: 16, arguments: [0, 0x541c] }, fails(1)],
  ["asking the window's size", { number: 16, arguments: [0, 0x5413] }, allow],
  ["a call of the x32 convention", { number: 0x40000000 + 101 }, fails(38)],
  ["a call of another architecture", { number: 26, architecture: 0x40000003 }, fails(38)],
];
for (const [name, call, verdict] of calls) {
  test(`${name} ${verdict === allow ? "passes" : `fails with errno ${verdict & 0xffff}`}`, (t) => {
    t.is(answer(filter, call), verdict);
  });
}

test("the filter for arm64 refuses the same calls by their numbers there", (t) => {
  const arm = seccompFilter("arm64");
  const architecture = 0xc00000b7;
  t.is(answer(arm, { number: 117, architecture }), fails(1));
  t.is(answer(arm, { number: 40, architecture }), fails(1));
  t.is(answer(arm, { number: 198, architecture, arguments: [40] }), fails(97));
  t.is(answer(arm, { number: 63, architecture }), allow);
  t.is(answer(arm, { number: 101 }), fails(38));
});

test("no number is refused twice, and an unknown architecture has no filter", (t) => {
  t.is(new Set(x64.refused).size, x64.refused.length);
  t.throws(() => seccompFilter("riscv64" as Architecture), { message: /runs on x64 and arm64/ });
});
