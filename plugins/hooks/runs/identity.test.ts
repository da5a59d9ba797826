/** Who runs a command. */
import { userInfo } from "node:os";
import test from "ava";
import { identityOf, userOptions } from "./identity.js";

const own = userInfo();
const isRoot = own.uid === 0;

test("the daemon's own user needs no options, another user or group does", (t) => {
  const { username: user, uid, gid, homedir: home } = own;
  t.deepEqual(userOptions({ user, uid, gid, home }), []);
  for (const [otherUid, otherGid] of [
    [uid + 1, gid],
    [uid, gid + 1],
  ] as const)
    t.deepEqual(userOptions({ user, uid: otherUid, gid: otherGid, home }), [
      `--reuid=${otherUid}`,
      `--regid=${otherGid}`,
      "--init-groups",
    ]);
});

test("a user has an id, its primary group and a home directory", async (t) => {
  t.deepEqual(await identityOf(own.username), {
    user: own.username,
    uid: own.uid,
    gid: own.gid,
    home: own.homedir,
  });
});

test("an unknown user or group is named", async (t) => {
  t.is(await identityOf("no-such-user"), "there is no user `no-such-user` on this host");
  t.is(await identityOf(""), "there is no user `` on this host");
  t.is(
    await identityOf(`${own.username}:no-such-group`),
    "there is no group `no-such-group` on this host",
  );
});

test("another user is for a daemon that runs as root", async (t) => {
  const found = await identityOf("nobody");
  if (!isRoot) t.is(found, "only a daemon that runs as root can run commands as another user");
  else t.like(found, { user: "nobody", home: "/nonexistent" });
});

test("a group may be chosen", async (t) => {
  const found = await identityOf("root:daemon");
  if (!isRoot) t.is(found, "only a daemon that runs as root can run commands as another user");
  else t.like(found, { user: "root", uid: 0, gid: 1 });
});
