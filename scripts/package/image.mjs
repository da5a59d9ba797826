// The container image: an OCI image layout in a tar archive, made without an engine. The same sources and the same Debian packages
// give the same bytes. https://github.com/opencontainers/image-spec
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  createWriteStream,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { join } from "node:path";
import { PassThrough, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { debianRoot } from "./debian-root.mjs";
import { installProgram, LIBRARY, put } from "./files.mjs";

/** The specification's names of what `process.arch` says. */
const ARCHITECTURES = { x64: "amd64", arm64: "arm64" };
const COMMANDS = { reeve: "reeve", awf: "awf", webhook: "webhook" };
/** As other images without root use it. */
const USER = 65532;
const SECOND = 1e9;
const TYPE = "application/vnd.oci.image";

/**
 * Returns the path of the image in `build`; `stage` has the files of the npm package. `level` is gzip's. `partsWith` makes the
 * list of parts from the Debian packages.
 */
export async function buildImage({ build, stage, manifest, seconds, revision, level, partsWith }) {
  const architecture = ARCHITECTURES[process.arch];
  if (architecture === undefined) throw new Error(`an image has no name for ${process.arch} here`);
  const folder = join(build, "image");
  rmSync(folder, { recursive: true, force: true });
  const [system, program, data] = ["system", "program", "data"].map((name) => {
    mkdirSync(join(folder, name), { recursive: true });
    return join(folder, name);
  });
  const packages = debianRoot(system);
  put(
    system,
    "etc/passwd",
    accounts(`reeve:x:${USER}:${USER}:Reeve:/home/reeve:/usr/sbin/nologin`),
  );
  put(system, "etc/group", `root:x:0:\nreeve:x:${USER}:\nnogroup:x:65534:\n`);
  installProgram(program, stage, COMMANDS);
  for (const name of ["LICENSE", "THIRD-PARTY-LICENSES.txt"]) {
    put(program, `usr/share/doc/reeve/${name}`, readFileSync(join(stage, name)));
  }
  const parts = partsWith(packages);
  put(program, "usr/share/doc/reeve/sbom.cdx.json", parts);
  put(data, "config/main.reeve", firstConfiguration());
  mkdirSync(join(data, "state"), { mode: 0o700 });
  mkdirSync(join(data, "home/reeve"), { recursive: true });
  const layout = join(folder, "layout");
  mkdirSync(join(layout, "blobs/sha256"), { recursive: true });
  const node = `${LIBRARY}/node`;
  const layers = [];
  // What changes rarely comes first.
  for (const [comment, tree, owner, ...choice] of [
    ["Debian packages", system, 0],
    ["Node.js", program, 0, node],
    ["Reeve", program, 0, "--anchored", `--exclude=${node}`, "usr"],
    ["configuration and state", data, USER, "config", "home/reeve", "state"],
  ]) {
    const members = choice.length > 0 ? choice : readdirSync(tree).sort();
    layers.push({ comment, ...(await layer(layout, { tree, owner, members, seconds, level })) });
  }
  const { version, description, license } = manifest;
  const labels = {
    "org.opencontainers.image.title": "Reeve",
    "org.opencontainers.image.description": description,
    "org.opencontainers.image.version": version,
    "org.opencontainers.image.licenses": license,
    "org.opencontainers.image.revision": revision,
    "org.opencontainers.image.created": new Date(seconds * 1000).toISOString(),
  };
  const config = blob(layout, `${TYPE}.config.v1+json`, configOf(layers, labels, architecture));
  const described = blob(layout, `${TYPE}.manifest.v1+json`, {
    schemaVersion: 2,
    mediaType: `${TYPE}.manifest.v1+json`,
    config,
    layers: layers.map(({ descriptor }) => descriptor),
    annotations: labels,
  });
  const names = {
    "org.opencontainers.image.ref.name": version,
    "io.containerd.image.name": `docker.io/library/reeve:${version}`,
  };
  const files = {
    "oci-layout": { imageLayoutVersion: "1.0.0" },
    "index.json": {
      schemaVersion: 2,
      mediaType: `${TYPE}.index.v1+json`,
      manifests: [{ ...described, platform: { architecture, os: "linux" }, annotations: names }],
    },
    // What `docker load` reads in place of the index.
    "manifest.json": [
      {
        Config: pathOf(config.digest),
        RepoTags: [`reeve:${version}`],
        Layers: layers.map(({ descriptor }) => pathOf(descriptor.digest)),
      },
    ],
  };
  for (const [name, value] of Object.entries(files)) put(layout, name, JSON.stringify(value));
  const output = join(build, `reeve-${version}-linux-${process.arch}.oci.tar`);
  const members = ["oci-layout", "index.json", "manifest.json", "blobs"];
  await pipeline(tar({ tree: layout, owner: 0, members, seconds }), createWriteStream(output));
  rmSync(folder, { recursive: true });
  return { output, parts };
}

function configOf(layers, labels, architecture) {
  const created = labels["org.opencontainers.image.created"];
  return {
    created,
    architecture,
    os: "linux",
    config: {
      User: `${USER}:${USER}`,
      ExposedPorts: { "9000/tcp": {} },
      Env: [
        "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "HOME=/home/reeve",
        "STATE_DIRECTORY=/state",
        "CACHE_DIRECTORY=/state/cache",
        "REEVE_CONTROL=/state/control.sock",
      ],
      // The first process of a container inherits the orphans of hooks' commands.
      Entrypoint: ["/usr/bin/tini", "--", "/usr/bin/reeve", "up"],
      Cmd: ["/config/main.reeve"],
      Volumes: { "/config": {}, "/state": {} },
      WorkingDir: "/config",
      Labels: labels,
      StopSignal: "SIGTERM",
      // Docker's extension of the specification.
      Healthcheck: {
        Test: ["CMD", "/usr/bin/reeve", "status", "--ready"],
        Interval: 30 * SECOND,
        Timeout: 10 * SECOND,
        StartPeriod: 30 * SECOND,
        Retries: 3,
      },
    },
    rootfs: { type: "layers", diff_ids: layers.map(({ diffId }) => diffId) },
    history: layers.map(({ comment }) => ({ created, created_by: "npm run package", comment })),
  };
}

/** Hooks are to be reached from outside the container. */
function firstConfiguration() {
  const text = readFileSync("cli/starter/main.reeve", "utf8");
  const open = text.replace('listen = "127.0.0.1:9000"', 'listen = "0.0.0.0:9000"');
  if (open === text) throw new Error("cli/starter/main.reeve does not listen as expected");
  return open;
}

const accounts = (own) =>
  [
    "root:x:0:0:root:/root:/usr/sbin/nologin",
    own,
    "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin",
    "",
  ].join("\n");

/** Writes a layer. Returns its descriptor and the digest of the archive before compression. */
async function layer(layout, { level, ...content }) {
  const file = join(layout, "layer");
  const plain = hashed();
  const packed = hashed();
  await pipeline(
    tar(content),
    plain.stream,
    createGzip({ level }),
    packed.stream,
    createWriteStream(file),
  );
  const { digest, size } = packed.result();
  renameSync(file, join(layout, pathOf(digest)));
  const descriptor = { mediaType: `${TYPE}.layer.v1.tar+gzip`, digest, size };
  return { descriptor, diffId: plain.result().digest };
}

function hashed() {
  const hash = createHash("sha256");
  let size = 0;
  const stream = new Transform({
    transform(chunk, _encoding, done) {
      hash.update(chunk);
      size += chunk.length;
      done(null, chunk);
    },
  });
  return { stream, result: () => ({ digest: `sha256:${hash.digest("hex")}`, size }) };
}

/** Neither the order nor the owners of this machine's files. */
function tar({ tree, owner, members, seconds }) {
  const words = ["--create", "--format=gnu", "--sort=name", `--mtime=@${seconds}`];
  const owners = [`--owner=${owner}`, `--group=${owner}`, "--numeric-owner"];
  const child = spawn("tar", [...words, ...owners, "-C", tree, ...members], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const output = new PassThrough();
  child.stdout.pipe(output, { end: false });
  child.on("error", (error) => output.destroy(error));
  child.on("close", (code) => {
    if (code === 0) output.end();
    else output.destroy(new Error(`tar ended with ${code}`));
  });
  return output;
}

function blob(layout, mediaType, value) {
  const bytes = Buffer.from(JSON.stringify(value));
  const digest = `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
  put(layout, pathOf(digest), bytes);
  return { mediaType, digest, size: bytes.length };
}

const pathOf = (digest) => `blobs/${digest.replace(":", "/")}`;
