import { homedir } from "node:os";
import test from "ava";
import { directoriesFor } from "./directories.js";

const root = "/etc/reeve/main.reeve";

test("a flag wins, and everything is below it", (t) => {
  const environment = { STATE_DIRECTORY: "/var/lib/reeve" };
  t.deepEqual(directoriesFor({ root, state: "/s", environment, user: 7 }), {
    state: "/s",
    cache: "/s/cache",
    temporary: "/s/temporary",
  });
});

test("a service has the directories that systemd made for it", (t) => {
  const environment = { STATE_DIRECTORY: "/var/lib/reeve:/x", CACHE_DIRECTORY: "/var/cache/reeve" };
  t.deepEqual(directoriesFor({ root, environment, user: 7 }), {
    state: "/var/lib/reeve",
    cache: "/var/cache/reeve",
    temporary: "/var/lib/reeve/temporary",
  });
});

test("elsewhere every configuration has its own", (t) => {
  const environment = { XDG_STATE_HOME: "/h/state" };
  const one = directoriesFor({ root: "/a/site/main.reeve", environment, user: 7 });
  const two = directoriesFor({ root: "/b/site/main.reeve", environment, user: 7 });
  t.regex(one.state, /^\/h\/state\/reeve\/site-[0-9a-f]{8}$/);
  t.not(one.state, two.state);
  t.regex(one.cache, new RegExp(`^${homedir()}/.cache/reeve/site-`));
  t.regex(directoriesFor({ root, environment: {}, user: 0 }).state, /^\/var\/lib\/reeve\/reeve-/);
  t.regex(directoriesFor({ root: "/main.reeve", environment, user: 0 }).state, /\/root-[^/]+$/);
});
