// Source packages of a later Debian release, fetched without changing the system: apt with its own configuration, derived from the
// machine's. Only source code, because binaries of another release need other libraries.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "./fetched-tools.mjs";

/** The machine's first source of the release's main component. */
const FORMAT = "$(REPO_URI)|$(RELEASE)|$(COMPONENT)";
const KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg";

/**
 * Unpacks the upstream source of `name`, signed by `suite`, into the empty `directory`. Returns its top
 * directory.
 * @throws Error with one sentence
 */
export function upstreamSource({ name, suite, directory }) {
  const what = `The source code of ${name} in Debian ${suite}, which tests need,`;
  const work = mkdtempSync(join(directory, ".apt-"));
  try {
    const apt = (...words) =>
      run("apt-get", [...optionsIn(work, suite), ...words], `${what} cannot be had`, work);
    apt("update");
    apt("source", "--download-only", "--tar-only", name);
    const [archive] = readdirSync(work).filter((file) => /\.orig\.tar\.\w+$/.test(file));
    if (archive === undefined) throw new Error(`${what} has no archive of its authors.`);
    run(
      "tar",
      ["-xf", join(work, archive), "--strip-components=1"],
      `${what} cannot be unpacked`,
      directory,
    );
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function optionsIn(work, suite) {
  for (const name of ["lists/partial", "archives/partial", "none"])
    mkdirSync(join(work, name), { recursive: true });
  const sources = join(work, "debian.sources");
  writeFileSync(
    sources,
    `Types: deb-src\nURIs: ${mirror()}\nSuites: ${suite}\nComponents: main\nSigned-By: ${KEYS}\n`,
  );
  writeFileSync(join(work, "status"), "");
  const options = {
    "Dir::State": work,
    "Dir::State::Lists": join(work, "lists"),
    "Dir::State::status": join(work, "status"),
    "Dir::Cache": work,
    "Dir::Etc::sourcelist": sources,
    "Dir::Etc::sourceparts": join(work, "none"),
    "Acquire::Languages": "none",
    // Only this user can read the directory.
    "APT::Sandbox::User": "",
  };
  return ["-q", ...Object.entries(options).flatMap(([key, value]) => ["-o", `${key}=${value}`])];
}

/** The package sources of this machine. */
function mirror() {
  const { stdout = "" } = spawnSync("apt-get", ["indextargets", "--format", FORMAT], {
    encoding: "utf8",
  });
  const own = (stdout ?? "")
    .split("\n")
    .map((line) => line.split("|"))
    .find(([url = "", , component]) => component === "main" && /\/debian\/?$/.test(url));
  if (!own)
    throw new Error("apt has no mirror of Debian, from which tests have to be given a tool.");
  return own[0];
}
