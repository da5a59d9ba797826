import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import type { MountStep } from "../mount-steps.js";
import { planMounts } from "./mount-plan.js";

/** A host directory with a file and a directory, and an empty one for the layout. */
function scratch(t: ExecutionContext): { host: string; laidOut: string } {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "awf-plan-")));
  t.teardown(() => rmSync(directory, { recursive: true }));
  const [host, laidOut] = [join(directory, "host"), join(directory, "laid-out")];
  mkdirSync(join(host, "inner"), { recursive: true });
  mkdirSync(laidOut);
  writeFileSync(join(host, "file"), "");
  return { host, laidOut };
}

const bind = (from: string, at: string, writable = false): MountStep => ({
  kind: "bind",
  from,
  at,
  writable,
});

test("a later step replaces earlier ones at its path and below", (t) => {
  const { host, laidOut } = scratch(t);
  const { binds, memory } = planMounts(
    [
      bind(host, "/a", true),
      bind(`${host}/inner`, "/a/b/c"),
      bind(`${host}/inner`, "/a/bc"),
      { kind: "memory", at: "/a/b", mode: "1777" },
      bind(`${host}/inner`, "/a", false),
    ],
    { laidOut, hiding: "/hiding" },
    [],
  );
  t.deepEqual(binds, [{ from: `${host}/inner`, at: "/a", writable: false }]);
  t.deepEqual([...memory], []);
});

test("writable memory is mounted with its mode", (t) => {
  const { laidOut } = scratch(t);
  const { memory } = planMounts(
    [
      { kind: "memory", at: "/tmp", mode: "1777" },
      { kind: "memory", at: "/hidden" },
    ],
    { laidOut, hiding: "/hiding" },
    [],
  );
  t.deepEqual(
    [...memory],
    [
      ["/tmp", "rw,exec,nosuid,nodev,mode=1777"],
      ["/hidden", "rw,exec,nosuid,nodev,mode=0755"],
    ],
  );
});

test("a sealed directory that is built entry by entry is laid out with all its mount points", (t) => {
  const { host, laidOut } = scratch(t);
  const { binds } = planMounts(
    [
      { kind: "memory", at: "/built" },
      bind(host, "/built/directory"),
      bind(`${host}/file`, "/built/deep/file"),
      { kind: "link", to: "directory/file", at: "/built/link" },
      { kind: "seal", at: "/built" },
      { kind: "seal", at: "/" },
    ],
    { laidOut, hiding: "/hiding" },
    [],
  );
  const source = binds.find(({ at }) => at === "/built")?.from ?? "";
  t.deepEqual(readdirSync(source).sort(), ["deep", "directory", "link"]);
  t.true(statSync(join(source, "deep/file")).isFile());
  t.is(readlinkSync(join(source, "link")), "directory/file");
  t.true(binds.every(({ writable }) => !writable));
});

test("a mask in a writable home is a laid-out directory with the hidden names", (t) => {
  const { host, laidOut } = scratch(t);
  const { binds } = planMounts(
    [
      bind(host, "/home/me", true),
      { kind: "memory", at: "/home/me/.ssh" },
      bind(`${host}/file`, "/home/me/.ssh/id_rsa"),
      { kind: "seal", at: "/home/me/.ssh" },
    ],
    { laidOut, hiding: "/hiding" },
    [],
  );
  const mask = binds.find(({ at }) => at === "/home/me/.ssh");
  t.deepEqual([readdirSync(mask?.from ?? ""), mask?.writable], [["id_rsa"], false]);
});

test("host mounts below a read-only directory are read-only themselves unless covered", (t) => {
  const { host, laidOut } = scratch(t);
  mkdirSync(join(host, "inner/hidden"));
  const points = [
    `${host}/inner`,
    `${host}/inner/hidden`,
    `${host}/gone`,
    `${host}er`,
    "/proc",
    "/",
  ];
  const { binds } = planMounts(
    [bind(host, "/a"), bind(host, "/w", true), { kind: "memory", at: "/a/inner/hidden" }],
    { laidOut, hiding: "/hiding" },
    points,
  );
  t.deepEqual(binds, [
    { from: host, at: "/a", writable: false },
    { from: `${host}/inner`, at: "/a/inner", writable: false },
    { from: host, at: "/w", writable: true },
  ]);
});

test("devices, processes and the kernel's own files are left to the engine", (t) => {
  const { host, laidOut } = scratch(t);
  const { binds, memory } = planMounts(
    [
      { kind: "devices", at: "/dev" },
      { kind: "processes", at: "/proc" },
      bind("/proc/sys", "/proc/sys"),
      bind(`${host}/file`, "/proc/kcore"),
      bind("/sys", "/sys"),
    ],
    { laidOut, hiding: "/hiding" },
    [],
  );
  t.deepEqual([binds, [...memory]], [[], []]);
});
