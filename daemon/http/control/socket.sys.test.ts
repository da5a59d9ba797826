import { chmod, mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import test from "ava";
import { ask } from "../testing/client.js";
import { openControl } from "../testing/open-control.js";
import { scene, subjects } from "../testing/subjects.js";
import { temporaryDirectory } from "../testing/temporary.js";
import { createControlServer } from "./control.js";
import { RouteMounts } from "./mounts.js";

const second = (path: string) =>
  createControlServer(subjects(scene(), path), new RouteMounts(), { shared: false });

test("the socket and its new directory are private to the daemon's user", async (t) => {
  const { path } = await openControl(t, scene());
  t.is((await stat(path)).mode & 0o777, 0o600);
  t.is((await stat(join(path, ".."))).mode & 0o777, 0o700);
});

test("a second daemon on the socket is told who has it", async (t) => {
  const { path, get } = await openControl(t, scene());
  const other = await second(path);
  t.teardown(() => other.close());
  await t.throwsAsync(other.open(), {
    code: "already_running",
    message: `Reeve runs already: process ${process.pid} has \`${path}\`.`,
  });
  await other.close();
  t.is((await get("/healthz")).status, 200);
});

test("something else that listens there is not disturbed", async (t) => {
  const path = join(await temporaryDirectory(t), "control.sock");
  const server = createServer((socket) =>
    socket
      .on("error", () => undefined)
      .resume()
      .end("hello"),
  ).listen(path);
  t.teardown(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const other = await second(path);
  t.teardown(() => other.close());
  await t.throwsAsync(other.open(), { message: /another process has/ });
});

test("closing takes the socket away, and a daemon after it has it again", async (t) => {
  const { path, control } = await openControl(t, scene());
  await control.close();
  t.deepEqual(await readdir(join(path, "..")), []);
  const next = await second(path);
  t.teardown(() => next.close());
  await next.open();
  t.is((await ask(`unix:${path}`, "/healthz")).status, 200);
});

test("a closed server does not make its socket again", async (t) => {
  const { path, control } = await openControl(t, scene());
  const [restored] = await Promise.all([control.restore(), control.close()]);
  t.is(restored, undefined);
  t.is(await control.restore(), undefined);
  await control.open();
  t.deepEqual(await readdir(join(path, "..")), []);
});

test("a directory that cannot be made is named", async (t) => {
  const directory = await temporaryDirectory(t);
  await writeFile(join(directory, "file"), "");
  const other = await second(join(directory, "file", "control.sock"));
  t.teardown(() => other.close());
  await t.throwsAsync(other.open(), { message: /^Cannot (make|listen).*control\.sock/ });
});

test("a directory that every user can change is refused", async (t) => {
  const directory = join(await temporaryDirectory(t), "open");
  await mkdir(directory);
  await chmod(directory, 0o777);
  const other = await second(join(directory, "control.sock"));
  t.teardown(() => other.close());
  await t.throwsAsync(other.open(), {
    code: "cannot_listen",
    message: /^Cannot make the socket `.*control\.sock`: every user can write to .*\/open\.$/,
  });
  t.deepEqual(await readdir(directory), []);
});

test("a directory that is there keeps its rights", async (t) => {
  const directory = join(await temporaryDirectory(t), "open");
  await mkdir(directory, { mode: 0o755 });
  const other = await second(join(directory, "control.sock"));
  t.teardown(() => other.close());
  await other.open();
  t.is((await stat(directory)).mode & 0o777, 0o755);
});

test("a path that the system cannot take is said before anything is made", async (t) => {
  const directory = await temporaryDirectory(t);
  const other = await second(join(directory, "x".repeat(100), "control.sock"));
  t.teardown(() => other.close());
  await t.throwsAsync(other.open(), { message: /bytes and the system allows 107/ });
  t.deepEqual(await readdir(directory), []);
});

test("a daemon that cannot close everything removes its own socket, not that of the next daemon", async (t) => {
  const { path, control } = await openControl(t, scene());
  control.removeFile();
  t.deepEqual(await readdir(join(path, "..")), []);
  const next = await second(path);
  t.teardown(() => next.close());
  await next.open();
  control.removeFile();
  t.is((await ask(`unix:${path}`, "/healthz")).status, 200);
});
