// The files of some Debian packages and of what they need, as the root of an image. apt resolves, verifies and downloads with a
// configuration of its own; nothing of this machine changes, and no script of a package runs.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { put } from "./files.mjs";

const SUITE = "trixie";
const KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg";
const CACHE = fileURLToPath(
  new URL(`../../node_modules/.cache/reeve/apt-${SUITE}`, import.meta.url),
);
/** Milliseconds that lists of packages are used without asking again. */
const FRESH = 6 * 3_600_000;

const PACKAGES = [
  ...["base-files", "netbase", "tzdata", "ca-certificates"],
  ...["dash", "coreutils", "git", "openssh-client", "tini"],
  // For Node.
  ...["libc6", "libstdc++6", "libgcc-s1", "libatomic1"],
];
/** Needed by scripts of the packages, which do not run here. For apt they are installed. */
const LEFT_OUT = [
  ...["perl", "liberror-perl", "debconf", "debianutils", "base-passwd", "passwd", "adduser"],
  ...["mawk", "openssl", "openssl-provider-legacy", "init-system-helpers", "libsasl2-modules-db"],
];
const UNUSED = [
  "usr/share/{man,info,locale,lintian,bash-completion,doc-base,bug,gitweb,perl5,gcc,gdb,zsh,apport}",
  "usr/share/doc/*/{*/**,!(copyright)}",
  "usr/lib/git-core/git-{svn,p4,cvs*,archimport,send-email,instaweb}",
  "usr/lib/openssh/ssh-{keysign,pkcs11-helper}",
  "{usr/lib/systemd,var/lib/git,etc/{apt,dpkg,update-motd.d,kernel,init.d}}",
];

/** Fills the empty directory `tree`. Returns what is in it: the name, version and architecture of each package. */
export function debianRoot(tree) {
  if (!existsSync(KEYS)) {
    throw new Error(`An image is made of Debian packages, whose keys ${KEYS} are missing.`);
  }
  const packages = downloaded();
  // It has the links from /bin and /lib to /usr.
  packages.sort((one, other) =>
    one.name === "base-files" ? -1 : other.name === "base-files" ? 1 : 0,
  );
  for (const { archive } of packages) execFileSync("dpkg-deb", ["--extract", archive, tree]);
  for (const path of globSync(UNUSED, { cwd: tree }))
    rmSync(join(tree, path), { recursive: true, force: true });
  put(tree, "etc/nsswitch.conf", "hosts: files dns\n");
  // What update-ca-certificates makes.
  const certificates = globSync("usr/share/ca-certificates/**/*.crt", { cwd: tree }).sort();
  put(
    tree,
    "etc/ssl/certs/ca-certificates.crt",
    certificates.map((path) => `${readFileSync(join(tree, path), "utf8").trim()}\n`).join(""),
  );
  // Where scanners of images look.
  for (const { name, control } of packages) put(tree, `var/lib/dpkg/status.d/${name}`, control);
  return packages
    .map(({ name, version, architecture, digest }) => ({ name, version, architecture, digest }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** Asks for packages when the last answer is old or was to another question: apt takes seconds. */
function downloaded() {
  const found = join(CACHE, "found.json");
  const question = JSON.stringify([PACKAGES, LEFT_OUT]);
  const last = existsSync(found) ? JSON.parse(readFileSync(found, "utf8")) : undefined;
  const isFresh = last?.question === question && Date.now() - last.at < FRESH;
  if (isFresh && last.packages.every(({ archive }) => existsSync(archive))) return last.packages;
  const packages = download().map(described);
  const fresh = `${found}.${process.pid}`;
  writeFileSync(fresh, JSON.stringify({ question, at: Date.now(), packages }));
  renameSync(fresh, found);
  return packages;
}

function described(file) {
  const archive = join(CACHE, "archives", file);
  const digest = createHash("sha256").update(readFileSync(archive)).digest("hex");
  const control = run("dpkg-deb", ["--field", archive]);
  const [name, version, architecture] = ["Package", "Version", "Architecture"].map(
    (field) => new RegExp(`^${field}: (.*)$`, "m").exec(control)[1],
  );
  return { name, version, architecture, archive, digest, control };
}

function download() {
  for (const name of ["lists/partial", "archives/partial", "none"]) {
    mkdirSync(join(CACHE, name), { recursive: true });
  }
  writeFileSync(join(CACHE, "debian.sources"), sources());
  const architecture = run("dpkg", ["--print-architecture"]).trim();
  const installed = LEFT_OUT.map((name) => asInstalled(name, architecture));
  writeFileSync(join(CACHE, "status"), installed.join("\n"));
  apt("update", "--error-on=any");
  const install = ["install", "--yes", "--no-install-recommends", "--verbose-versions"];
  const said = apt(...install, "--download-only", ...PACKAGES);
  const list = /NEW packages will be installed:\n((?: .*\n)+)/.exec(said)[1];
  return [...list.matchAll(/^ +(\S+) \((\S+)\)$/gm)].map(([, name, version]) => {
    const stem = `${name}_${version.replace(":", "%3a")}`;
    return [architecture, "all"]
      .map((each) => `${stem}_${each}.deb`)
      .find((file) => existsSync(join(CACHE, "archives", file)));
  });
}

const asInstalled = (name, architecture) =>
  [
    `Package: ${name}`,
    ...["Status: install ok installed", "Multi-Arch: foreign", "Version: 9999", "Maintainer: -"],
    `Architecture: ${architecture}`,
    ...(name === "mawk" ? ["Provides: awk"] : []),
    "Description: left out\n",
  ].join("\n");

/** Several builds may run at once. */
function apt(...words) {
  return run("flock", [join(CACHE, "lock"), "apt-get", "-q", ...options(), ...words]);
}

function options() {
  const all = {
    "Dir::State": CACHE,
    "Dir::State::Lists": join(CACHE, "lists"),
    "Dir::State::status": join(CACHE, "status"),
    "Dir::Cache": CACHE,
    "Dir::Cache::pkgcache": "",
    "Dir::Cache::srcpkgcache": "",
    "Dir::Etc::sourcelist": join(CACHE, "debian.sources"),
    "Dir::Etc::sourceparts": join(CACHE, "none"),
    "Acquire::Languages": "none",
    "APT::Keep-Downloaded-Packages": "true",
    // Only this user can read the directory.
    "APT::Sandbox::User": "",
  };
  return Object.entries(all).flatMap(([key, value]) => ["-o", `${key}=${value}`]);
}

/** The suite from the mirrors that this machine uses. */
function sources() {
  const lines = run("apt-get", ["indextargets", "--format", "$(REPO_URI)"]).split("\n");
  const mirrors = [...new Set(lines)].map((line) => line.replace(/\/$/, ""));
  const main = mirrors.find((each) => /\/debian$/.test(each));
  const security = mirrors.find((each) => /\/debian-security$/.test(each));
  if (main === undefined)
    throw new Error("apt has no mirror of Debian, whose packages an image is made of.");
  const part = (url, suites) =>
    `Types: deb\nURIs: ${url}\nSuites: ${suites}\nComponents: main\nSigned-By: ${KEYS}\n`;
  return [
    part(main, `${SUITE} ${SUITE}-updates`),
    ...(security === undefined ? [] : [part(security, `${SUITE}-security`)]),
  ].join("\n");
}

function run(program, words) {
  return execFileSync(program, words, {
    encoding: "utf8",
    maxBuffer: 1 << 26,
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, LC_ALL: "C" },
  });
}
