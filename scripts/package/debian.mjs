// The Debian package: the files of the npm package with a Node of their own, a unit, a first configuration, completions and man
// pages. It needs nothing but the C library.
import { execFileSync } from "node:child_process";
import { globSync, readFileSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { installProgram, LIBRARY, put as putBelow } from "./files.mjs";
import { manualPages } from "./manual.mjs";

/** Debian's names of what `process.arch` says. */
const ARCHITECTURES = { x64: "amd64", arm64: "arm64" };
/** `webhook` is a command of another package. */
const COMMANDS = { reeve: "reeve", awf: "awf", webhook: "reeve-webhook" };
const MAN = "usr/share/man/man1";

/** Returns the path of the package in `build`; `stage` has the files of the npm package. */
export async function buildDebian({ build, stage, manifest, seconds, compression, parts }) {
  const architecture = ARCHITECTURES[process.arch];
  if (architecture === undefined) throw new Error(`Debian has no name for ${process.arch} here`);
  const tree = join(build, "debian");
  rmSync(tree, { recursive: true, force: true });
  const put = (path, text, mode) => putBelow(tree, path, text, mode);
  installProgram(tree, stage, COMMANDS);
  const unit = readFileSync("daemon/systemd/reeve.service", "utf8");
  put(
    "usr/lib/systemd/system/reeve.service",
    unit.replaceAll("/usr/bin/env reeve", "/usr/bin/reeve"),
  );
  put("usr/lib/sysusers.d/reeve.conf", `u reeve - "Reeve" /var/lib/reeve /usr/sbin/nologin\n`);
  put(
    "usr/lib/tmpfiles.d/reeve.conf",
    "z /etc/reeve 0750 root reeve\nz /etc/reeve/main.reeve 0640 root reeve\n",
  );
  put("etc/reeve/main.reeve", readFileSync("cli/starter/main.reeve"));
  const shells = {
    bash: "usr/share/bash-completion/completions/reeve",
    zsh: "usr/share/zsh/vendor-completions/_reeve",
    fish: "usr/share/fish/vendor_completions.d/reeve.fish",
  };
  for (const [shell, path] of Object.entries(shells)) {
    put(path, run(process.execPath, [join(stage, "dist/cli/reeve.js"), "completion", shell]));
  }
  const zipped = (text) => gzipSync(text, { level: 9 });
  for (const [name, text] of await manualPages(COMMANDS, manifest.version, seconds)) {
    put(`${MAN}/${name}.1.gz`, zipped(text));
  }
  const doc = "usr/share/doc/reeve";
  put(`${doc}/NEWS.md.gz`, zipped(readFileSync("CHANGELOG.md")));
  put(`${doc}/changelog.gz`, zipped(changelog(manifest.version, seconds)));
  put(`${doc}/copyright`, COPYRIGHT);
  put(
    `${doc}/THIRD-PARTY-LICENSES.txt.gz`,
    zipped(readFileSync(join(stage, "THIRD-PARTY-LICENSES.txt"))),
  );
  put("usr/share/lintian/overrides/reeve", OVERRIDES);
  put(`${doc}/sbom.cdx.json.gz`, zipped(parts));
  put("DEBIAN/control", control(tree, manifest, architecture));
  put("DEBIAN/conffiles", "/etc/reeve/main.reeve\n");
  for (const [name, text] of Object.entries(SCRIPTS)) put(`DEBIAN/${name}`, text, 0o755);
  // The same sources give the same bytes.
  for (const path of globSync("**/*", { cwd: tree, withFileTypes: true })) {
    if (!path.isSymbolicLink()) utimesSync(join(path.parentPath, path.name), seconds, seconds);
  }
  const file = join(build, `reeve_${manifest.version}_${architecture}.deb`);
  execFileSync("dpkg-deb", ["--root-owner-group", `-Z${compression}`, "--build", tree, file], {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, SOURCE_DATE_EPOCH: String(seconds) },
  });
  rmSync(tree, { recursive: true });
  return file;
}

function control(tree, { version }, architecture) {
  const kilobytes = run("du", ["-sk", "--apparent-size", tree]).split("\t")[0];
  return `Package: reeve
Version: ${version}
Architecture: ${architecture}
Maintainer: ${MAINTAINER}
Installed-Size: ${kilobytes}
Depends: libc6 (>= 2.28), libstdc++6 (>= 8), libgcc-s1, libatomic1, init-system-helpers (>= 1.54), passwd, systemd | systemd-standalone-sysusers | systemd-sysusers, systemd | systemd-standalone-tmpfiles | systemd-tmpfiles
Recommends: bubblewrap, iproute2, nftables, git, ca-certificates
Section: admin
Priority: optional
Description: one daemon that tends a host
 Hooks, a network filter for commands, dependency updates and live
 settings, configured in one small language in files kept in git.
 .
 The package brings its own Node.js and starts the daemon with
 /etc/reeve/main.reeve.
`;
}

const MAINTAINER = "The Reeve developers <packages@reeve.invalid>";

const COPYRIGHT = `${readFileSync("LICENSE", "utf8").trim()}

The licenses of bundled packages are in THIRD-PARTY-LICENSES.txt.gz beside this file.
Node.js, ${LIBRARY}/node, and its parts have the licenses at
https://github.com/nodejs/node/blob/main/LICENSE
`;

const changelog = (version, seconds) => `reeve (${version}) unstable; urgency=medium

  * See NEWS.md.gz.

 -- ${MAINTAINER}  ${new Date(seconds * 1000).toUTCString().replace("GMT", "+0000")}
`;

/** What lintian cannot know. */
const OVERRIDES = `# Node.js is built with its own copies.
reeve: embedded-library
reeve: hardening-no-pie
# Each is a shell script in its first two lines and JavaScript after them.
reeve: shell-script-fails-syntax-check
# The project has no address for mail.
reeve: bogus-mail-host
`;

/** As debhelper would write them. */
const SCRIPTS = {
  postinst: `#!/bin/sh
set -e
if [ "$1" = configure ] || [ "$1" = abort-upgrade ] || [ "$1" = abort-remove ]; then
  systemd-sysusers reeve.conf
  systemd-tmpfiles --create reeve.conf
  deb-systemd-helper unmask reeve.service > /dev/null || true
  if deb-systemd-helper --quiet was-enabled reeve.service; then
    deb-systemd-helper enable reeve.service > /dev/null || true
  else
    deb-systemd-helper update-state reeve.service > /dev/null || true
  fi
  if [ -d /run/systemd/system ]; then
    systemctl --system daemon-reload > /dev/null || true
    if [ -n "$2" ]; then action=restart; else action=start; fi
    deb-systemd-invoke $action reeve.service || true
  fi
fi
`,
  prerm: `#!/bin/sh
set -e
if [ -d /run/systemd/system ] && [ "$1" = remove ]; then
  deb-systemd-invoke stop reeve.service || true
fi
`,
  postrm: `#!/bin/sh
set -e
if [ -d /run/systemd/system ]; then
  systemctl --system daemon-reload > /dev/null || true
fi
if [ "$1" = remove ]; then
  if command -v deb-systemd-helper > /dev/null; then
    deb-systemd-helper mask reeve.service > /dev/null || true
  fi
fi
if [ "$1" = purge ]; then
  if command -v deb-systemd-helper > /dev/null; then
    deb-systemd-helper purge reeve.service > /dev/null || true
    deb-systemd-helper unmask reeve.service > /dev/null || true
  fi
  rm -rf /var/lib/reeve /var/cache/reeve
  rmdir /etc/reeve 2> /dev/null || true
  if getent passwd reeve > /dev/null; then userdel reeve > /dev/null 2>&1 || true; fi
  if getent group reeve > /dev/null; then groupdel reeve > /dev/null 2>&1 || true; fi
fi
`,
};

function run(command, argv) {
  return execFileSync(command, argv, { encoding: "utf8" });
}
