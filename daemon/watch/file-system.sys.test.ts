import { symlinkSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { directoryWith } from "../reload/testing/directory.js";
import { distantIn, fileSystemOf, localFileSystem, remoteFileSystem } from "./file-system.js";

/** Seen from a directory in which `far` is a mount from elsewhere and `link` leads to it. */
const paths: ReadonlyArray<readonly [what: string, path: string, isNear: boolean]> = [
  ["what is on this machine", "near/a.txt", true],
  ["what is not there yet", "near/later/a.txt", true],
  ["a name that begins alike", "farther/a.txt", true],
  ["what is mounted", "far", false],
  ["what is below it", "far/a.txt", false],
  ["what is to appear below it", "far/later/a.txt", false],
  ["what a link leads to", "link/a.txt", false],
  ["what the mount is below of", ".", false],
];

for (const [what, path, isNear] of paths) {
  test(`${what} is ${isNear ? "looked at at once" : "waited for"}`, async (t) => {
    const at = directoryWith(t, { "near/a.txt": "", "farther/a.txt": "", "far/a.txt": "" });
    symlinkSync("far", join(at, "link"));
    const disk = await fileSystemOf(join(at, path), Promise.resolve([join(at, "far")]));
    t.is(disk.isNear, isNear);
  });
}

test("where the system does not tell of mounts, everything is waited for", async (t) => {
  t.false((await fileSystemOf("/", Promise.resolve(undefined))).isNear);
});

test("both see the same, and nothing where nothing is", async (t) => {
  const at = directoryWith(t, { "a.txt": "1" });
  symlinkSync("a.txt", join(at, "link"));
  symlinkSync("circle", join(at, "circle"));
  for (const disk of [localFileSystem, remoteFileSystem]) {
    t.is((await disk.stat(join(at, "link")))?.isFile(), true);
    t.is((await disk.lstat(join(at, "link")))?.isSymbolicLink(), true);
    t.is(await disk.readlink(join(at, "link")), "a.txt");
    t.deepEqual((await disk.list(at)).map(({ name }) => name).sort(), ["a.txt", "circle", "link"]);
    t.is(await disk.stat(join(at, "circle")), undefined);
    t.is(await disk.lstat(join(at, "a.txt/b")), undefined);
    t.is(await disk.readlink(join(at, "a.txt")), undefined);
    t.deepEqual(await disk.list(join(at, "none")), []);
  }
});

const mountTable = `22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
23 22 0:20 / /proc rw - proc proc rw
31 22 0:41 / /mnt/far rw,relatime shared:9 master:2 - nfs4 server:/export rw,vers=4.2
32 22 0:42 / /mnt/two\\040words rw - fuse.sshfs user@host:/ rw
33 22 0:43 / /home rw - autofs systemd-1 rw
34 22 0:44 / /tmp rw - tmpfs tmpfs rw
`;

test("what is mounted from elsewhere is known by its type", (t) => {
  t.deepEqual(distantIn(mountTable), ["/mnt/far", "/mnt/two words", "/home"]);
});
