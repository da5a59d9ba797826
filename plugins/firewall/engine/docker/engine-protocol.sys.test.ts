/** The engine's protocol, without an engine. */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import test from "ava";
import { output } from "../../../../tests/support/child.js";
import { folder } from "../../../../tests/support/folder.js";
import { engineSocket } from "./endpoint.js";
import { tarOf } from "./images.js";
import { registryAuth, registryOf } from "./registry-auth.js";
import { seccompProfile } from "./seccomp-profile.js";
import { demultiplex } from "./streams.js";

function frame(output: 1 | 2, content: string): Buffer {
  const head = Buffer.from([output, 0, 0, 0, 0, 0, 0, 0]);
  head.writeUInt32BE(Buffer.byteLength(content), 4);
  return Buffer.concat([head, Buffer.from(content)]);
}

test("frames are split wherever the stream is cut", async (t) => {
  const bytes = Buffer.concat([
    frame(1, "out "),
    frame(2, "wrong "),
    frame(1, ""),
    frame(1, "more "),
    frame(2, "worse"),
  ]);
  for (let size = 1; size <= bytes.length; size += 1) {
    const parts: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += size) parts.push(bytes.subarray(at, at + size));
    const [out, error] = [new PassThrough(), new PassThrough()];
    const said = Promise.all([text(out), text(error)]);
    await demultiplex(Readable.from(parts), out, error);
    out.end();
    error.end();
    t.deepEqual(await said, ["out more ", "wrong worse"], `parts of ${size}`);
  }
});

test("tar can read the archive of one file", (t) => {
  for (const content of ["", "FROM x\n", "x".repeat(512), "y".repeat(5000)]) {
    const archive = tarOf("Dockerfile", content);
    t.is(archive.length % 512, 0);
    t.is(output("tar", ["-xOf", "-", "Dockerfile"], { input: archive }), content);
  }
});

const hub = "https://index.docker.io/v1/";
const registries: ReadonlyArray<readonly [image: string, registry: string]> = [
  ["ubuntu:22.04", hub],
  ["library/ubuntu", hub],
  ["ghcr.io/a/b:1", "ghcr.io"],
  ["localhost/a", "localhost"],
  ["127.0.0.1:5000/a/b", "127.0.0.1:5000"],
];
test("the registry of an image is its first part if that is a host", (t) => {
  t.deepEqual(
    registries.map(([image]) => registryOf(image)),
    registries.map(([, registry]) => registry),
  );
});

test.serial(
  "logins come from the engine's own configuration or a helper, or there is none",
  async (t) => {
    const directory = folder(t);
    const before = { config: process.env.DOCKER_CONFIG, path: process.env.PATH };
    t.teardown(() => {
      process.env.PATH = before.path;
      if (before.config === undefined) delete process.env.DOCKER_CONFIG;
      else process.env.DOCKER_CONFIG = before.config;
    });
    process.env.DOCKER_CONFIG = directory;
    const login = async (image: string) =>
      JSON.parse(Buffer.from(await registryAuth(image), "base64url").toString());
    t.deepEqual(await login("a.test/x"), {});
    const bin = join(directory, "bin");
    mkdirSync(bin);
    const helper = join(bin, "docker-credential-test");
    writeFileSync(
      helper,
      '#!/bin/sh\nread -r name; echo "{\\"Username\\":\\"<token>\\",\\"Secret\\":\\"for $name\\"}"\n',
    );
    chmodSync(helper, 0o755);
    process.env.PATH = `${bin}:${before.path}`;
    writeFileSync(
      join(directory, "config.json"),
      JSON.stringify({
        auths: {
          "a.test": { auth: Buffer.from("me:a:b").toString("base64") },
          "b.test": { identitytoken: "t" },
          "d.test": {},
        },
        credHelpers: { "c.test": "test", "e.test": "none" },
      }),
    );
    const expected: ReadonlyArray<readonly [image: string, login: object]> = [
      ["a.test/x", { username: "me", password: "a:b", serveraddress: "a.test" }],
      ["b.test/x", { identitytoken: "t", serveraddress: "b.test" }],
      ["c.test/x", { identitytoken: "for c.test", serveraddress: "c.test" }],
      ["d.test/x", {}],
      ["e.test/x", {}],
    ];
    for (const [image, wanted] of expected) t.deepEqual(await login(image), wanted, image);
  },
);

test("the system call profile refuses the same calls as the native filter, with the same errors", (t) => {
  const { defaultAction, syscalls } = seccompProfile();
  t.is(defaultAction, "SCMP_ACT_ALLOW");
  const answers = (name: string) =>
    syscalls.filter(({ names }) => names.includes(name)).map(({ errnoRet }) => errnoRet);
  for (const name of ["ptrace", "mount", "unshare", "setns", "bpf", "io_uring_setup", "keyctl"]) {
    t.deepEqual(answers(name), [1], name);
  }
  t.deepEqual(answers("clone3"), [38]);
  const families = syscalls
    .filter(({ names }) => names.includes("socket"))
    .map(({ args: [condition] = [] }) => `${condition?.op} ${condition?.value}`);
  t.true(families.includes("SCMP_CMP_GT 16"));
  t.true(families.includes("SCMP_CMP_EQ 5"));
  for (const allowed of [1, 2, 10, 16]) t.false(families.includes(`SCMP_CMP_EQ ${allowed}`));
});

const endpoints: ReadonlyArray<readonly [written: string | undefined, path: string]> = [
  [undefined, "/var/run/docker.sock"],
  ["", "/var/run/docker.sock"],
  ["unix:///x/y.sock", "/x/y.sock"],
];
test("DOCKER_HOST names the engine, which must be on this machine", (t) => {
  for (const [written, path] of endpoints) t.is(engineSocket(written), path);
  for (const elsewhere of ["tcp://10.0.0.1:2375", "ssh://host", "unix://", "nonsense"]) {
    t.throws(() => engineSocket(elsewhere), {
      message: `DOCKER_HOST or --docker-host names an engine that awf cannot use: ${elsewhere}. The engine has to be on this machine: unix:///path/of/the/socket`,
    });
  }
});
