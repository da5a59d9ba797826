// System packages that some tests need. CI installs them, as root on a Debian-like system; elsewhere they are only named.
import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, globSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

/** Program or path → Debian package that provides it. */
const wanted = new Map([
  ["bwrap", "bubblewrap"],
  ["ip", "iproute2"],
  ["unshare", "util-linux"],
  ["git", "git"],
  ["curl", "curl"],
  ["openssl", "openssl"],
  ["python3", "python3-minimal"],
  ["script", "bsdutils"],
  ["tmux", "tmux"],
  ["docker-registry", "docker-registry"],
  ["go", "golang-go"],
  [
    "/usr/share/gocode/src/github.com/hashicorp/go-version",
    "golang-github-hashicorp-go-version-dev",
  ],
  [
    "/usr/share/gocode/src/github.com/apparentlymart/go-versions",
    "golang-github-apparentlymart-go-versions-dev",
  ],
  // Its other Cargo is of 2022 and knows no registries over HTTP.
  ["/var/lib/dpkg/info/cargo-web.list", "cargo-web"],
  // The existing server of hooks files: answers and log lines are compared with its own.
  ["/usr/bin/webhook", "webhook"],
  ["gcc", "gcc"],
  ["/usr/bin/pip3", "python3-pip"],
  ["/usr/bin/pipenv", "pipenv"],
  ["/usr/bin/poetry", "python3-poetry"],
  ["/usr/bin/pdm", "python3-pdm"],
  ["/usr/lib/python3/dist-packages/packaging", "python3-packaging"],
  ["nvim", "neovim"],
  // Drives the page of `reeve web`.
  ["/usr/bin/chromium", "chromium"],
  ["bundle", "ruby-bundler"],
  ["composer", "composer"],
  ["mix", "elixir"],
  // To compile Hex, which Debian has from its next release on: elixir-hex.mjs.
  ["/usr/lib/erlang/usr/include/erl_nif.h", "erlang-dev"],
  ["initdb", "postgresql"],
  ["mvn", "maven"],
  ["/usr/bin/keytool", "default-jre-headless"],
  ["/usr/bin/elm", "elm-compiler"],
  ["/usr/bin/gradle", "gradle"],
]);
/** Debian installs server programs outside PATH, in one directory per version. */
const ofPostgres = () => globSync("/usr/lib/postgresql/*/bin");
// Only root can start a Docker engine or a container; other users' tests report this.
if (process.getuid?.() === 0) {
  wanted.set("dockerd", "docker.io");
  wanted.set("runc", "runc");
}

/** Returns the missing packages, after an attempt to install them if `install` is set. */
export function ensureSystemPackages({ install }) {
  const absent = () => [...wanted].filter(([program]) => !onPath(program)).map(([, name]) => name);
  const missing = absent();
  const canInstall = process.getuid?.() === 0 && existsSync("/usr/bin/apt-get");
  if (missing.length === 0 || !install || !canInstall) return missing;
  process.stdout.write(`Installing system packages: ${missing.join(", ")}\n`);
  const words = ["install", "-y", "-q", "--no-install-recommends", ...missing];
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const apt = (...argv) =>
    spawnSync("apt-get", argv, { stdio: ["ignore", "ignore", "inherit"], env }).status === 0;
  if (!apt(...words)) {
    apt("update", "-q");
    apt(...words);
  }
  return absent();
}

function onPath(program) {
  if (isAbsolute(program)) return existsSync(program);
  const directories = (process.env.PATH ?? "").split(delimiter);
  return [...directories, ...ofPostgres()].some((directory) => {
    try {
      accessSync(join(directory, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
