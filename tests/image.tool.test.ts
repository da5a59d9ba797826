/** The container image: its layout is what the specification says, and a runtime with nothing but it comes from nothing to an answered hook. */

import { createHash, X509Certificate } from "node:crypto";
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import test from "ava";
import { buildFromPackage, imageTools, must } from "./image/build.js";
import { createContainer, unpack } from "./image/container.js";
import { type Descriptor, layoutIn } from "./image/layout.js";
import { eventually } from "./support/eventually.js";
import { folder as newFolder } from "./support/folder.js";
import { needs, program, rootUser } from "./support/needs.js";

const built = needs(test, ...imageTools);
const withRuntime = needs(test, ...imageTools, program("runc"), program("nsenter"), rootUser);
const folder = newFolder({ teardown: (end) => test.after.always(() => void end()) });
const layout = join(folder, "layout");

const sha256 = (bytes: Buffer): string =>
  `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
const { json, blob, image } = layoutIn(layout);
let unpacked: Promise<string> | undefined;
/** Containers change only what is the image's user's. */
const root = (): Promise<string> => {
  unpacked ??= unpack(image(), blob, join(folder, "rootfs"));
  return unpacked;
};

test.before(async (t) => {
  t.timeout(600_000);
  const to = await buildFromPackage("image", folder, "first");
  mkdirSync(layout);
  const [name = ""] = globSync("*.oci.tar", { cwd: to });
  await must("tar", ["-xf", join(to, name), "-C", layout]);
});

built(
  "every part of the layout has the size, the digest and the media type that its descriptor says",
  (t) => {
    t.deepEqual(json("oci-layout"), { imageLayoutVersion: "1.0.0" });
    const index = json("index.json");
    t.like(index, { schemaVersion: 2, mediaType: "application/vnd.oci.image.index.v1+json" });
    const [entry] = index.manifests;
    t.like(entry.platform, { os: "linux" });
    const manifest = JSON.parse(readFileSync(blob(entry.digest), "utf8"));
    t.like(manifest, { schemaVersion: 2, mediaType: entry.mediaType });
    const descriptors: readonly Descriptor[] = [entry, manifest.config, ...manifest.layers];
    t.deepEqual(
      descriptors.map(({ mediaType }) => mediaType.replace("application/vnd.oci.image.", "")),
      ["manifest.v1+json", "config.v1+json", ...Array(4).fill("layer.v1.tar+gzip")],
    );
    for (const { digest, size } of descriptors) {
      const bytes = readFileSync(blob(digest));
      t.is(bytes.length, size, digest);
      t.is(sha256(bytes), digest);
    }
    const files = globSync("blobs/sha256/*", { cwd: layout });
    t.is(files.length, descriptors.length, "nothing else is in it");
    const { config, layers } = image();
    t.like(config, { os: "linux", architecture: entry.platform.architecture });
    t.is(config.rootfs.type, "layers");
    t.deepEqual(
      layers.map(({ digest }) => sha256(gunzipSync(readFileSync(blob(digest))))),
      config.rootfs.diff_ids,
    );
    t.is(config.history.length, layers.length);
    t.deepEqual(json("manifest.json"), [
      {
        Config: `blobs/${manifest.config.digest.replace(":", "/")}`,
        RepoTags: [`reeve:${entry.annotations["org.opencontainers.image.ref.name"]}`],
        Layers: layers.map(({ digest }) => `blobs/${digest.replace(":", "/")}`),
      },
    ]);
  },
);

built("its configuration names the user, the volumes, the port and a health check", (t) => {
  const { config } = image().config;
  const { version } = JSON.parse(readFileSync("package.json", "utf8"));
  t.like(config, { User: "65532:65532", StopSignal: "SIGTERM" });
  t.deepEqual(Object.keys(config.Volumes), ["/config", "/state"]);
  t.deepEqual(Object.keys(config.ExposedPorts), ["9000/tcp"]);
  t.deepEqual(config.Healthcheck.Test, ["CMD", "/usr/bin/reeve", "status", "--ready"]);
  t.is(config.Labels["org.opencontainers.image.version"], version);
  t.regex(config.Labels["org.opencontainers.image.revision"] ?? "", /^[0-9a-f]{40}$/);
});

built(
  "its list of parts names Node, its packages of Debian and what is bundled, and is in SHA256SUMS",
  async (t) => {
    const to = join(folder, "first");
    await must("sha256sum", ["--check", "--strict", "SHA256SUMS"], { cwd: to });
    const sums = readFileSync(join(to, "SHA256SUMS"), "utf8");
    t.regex(sums, /^[0-9a-f]{64} {2}reeve-[\d.]+-linux-\w+\.oci\.tar$/m);
    const [name = ""] = globSync("*-image.cdx.json", { cwd: to });
    t.true(sums.includes(name), sums);
    const { components, dependencies } = JSON.parse(readFileSync(join(to, name), "utf8")) as {
      readonly components: ReadonlyArray<Readonly<Record<string, string>>>;
      readonly dependencies: ReadonlyArray<{ readonly ref: string }>;
    };
    t.is(components.find((each) => each.name === "node")?.version, process.versions.node);
    t.regex(components.find((each) => each.name === "git")?.purl ?? "", /^pkg:deb\/debian\/git@/);
    t.truthy(components.find((each) => each.name === "fastify"));
    const refs = new Set(dependencies.map(({ ref }) => ref));
    t.deepEqual(
      components.filter((each) => !refs.has(each["bom-ref"] ?? "")),
      [],
    );
  },
);

withRuntime(
  "a runtime with nothing but the image answers a hook, as the image's user",
  async (t) => {
    t.timeout(300_000);
    const container = createContainer(t, image(), await root());
    const first = await container.started();
    await first.ready();
    t.is(await first.get("/hooks/hello?name=Ada"), "Hello Ada\n");
    t.regex(
      readFileSync(`/proc/${first.pid}/status`, "utf8"),
      /^Uid:\t65532\t65532\t65532\t65532$/m,
    );
    const { Test } = image().config.config.Healthcheck;
    t.is((await first.execute(...Test.slice(1))).stdout, "ready\n");

    const [, version] =
      /version ([\d.]+)/.exec((await first.execute("git", "--version")).stdout) ?? [];
    t.true(Number(version?.split(".")[0]) >= 2);

    // A command's orphan belongs to the first process, which has to wait for it.
    await first.execute("sh", "-c", "(sleep 0.1 &)");
    await eventually("the orphan to be gone", () => first.children().length === 1);

    // The volume is the user's to edit.
    const file = join(await root(), "config/main.reeve");
    writeFileSync(file, readFileSync(file, "utf8").replace("Hello ", "Welcome "));
    await eventually(
      "the edit",
      async () => (await first.get("/hooks/hello")) === "Welcome world\n",
    );
    t.is(await first.stopped(), 0);

    const second = await container.started();
    await second.ready();
    const { stdout } = await second.execute("reeve", "runs", "--json");
    t.true(stdout.includes("hook.hello"), "the volume has the runs of the container before");
    t.is(await second.stopped(), 0);
  },
);

withRuntime("its certificates are those of Debian, and its files are root's", async (t) => {
  const tree = await root();
  const bundle = readFileSync(join(tree, "etc/ssl/certs/ca-certificates.crt"), "utf8");
  const certificates = bundle.match(
    /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----\n/g,
  );
  t.true((certificates?.length ?? 0) > 100);
  t.is(certificates?.join(""), bundle);
  for (const each of certificates ?? []) t.true(new X509Certificate(each).ca);
  const { stdout } = await must("find", [tree, "-xdev", "!", "-uid", "0", "-printf", "/%P\n"]);
  t.deepEqual(stdout.trim().split("\n").sort(), [
    "/config",
    "/config/main.reeve",
    "/home/reeve",
    "/state",
  ]);
  const special = await must("find", [
    tree,
    "(",
    "-perm",
    "/6000",
    "-o",
    "-type",
    "b",
    "-o",
    "-type",
    "c",
    ")",
    "-printf",
    "%P ",
  ]);
  t.is(special.stdout, "", "nothing grants rights");
});
