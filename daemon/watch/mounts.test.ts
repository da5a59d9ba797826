import test from "ava";
import { distantIn } from "./mounts.js";

const table = `22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
23 22 0:20 / /proc rw - proc proc rw
31 22 0:41 / /mnt/far rw,relatime shared:9 master:2 - nfs4 server:/export rw,vers=4.2
32 22 0:42 / /mnt/two\\040words rw - fuse.sshfs user@host:/ rw
33 22 0:43 / /home rw - autofs systemd-1 rw
34 22 0:44 / /tmp rw - tmpfs tmpfs rw
`;

test("what is mounted from elsewhere is known by its type", (t) => {
  t.deepEqual(distantIn(table), ["/mnt/far", "/mnt/two words", "/home"]);
});
