// The packages in a bundle: their licenses, and the list of parts (SBOM) in CycloneDX.
import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Folders of the packages that files belong to, in order and each once; `files` are below the project. */
export function bundledPackages(files) {
  const folders = files.flatMap((file) => {
    const match = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file);
    return match ? [match[1]] : [];
  });
  return [...new Set(folders)].sort().map((folder) => {
    const { name, version, license, licenses } = JSON.parse(
      readFileSync(join(folder, "package.json"), "utf8"),
    );
    return { folder, name, version, license: license ?? licenses?.[0]?.type ?? "unknown" };
  });
}

/** What each license demands to be passed on. */
export function licenses(packages) {
  const texts = packages.map(({ folder, name, version, license }) => {
    const files = globSync("{LICEN[SC]E,licen[sc]e,Licen[sc]e,COPYING,NOTICE,OFL}*", {
      cwd: folder,
    });
    const text = files.sort().map((file) => readFileSync(join(folder, file), "utf8").trim());
    return [`${name} ${version} (${license})`, ...text].join("\n\n");
  });
  const line = `\n\n${"-".repeat(80)}\n\n`;
  return `This package contains code or types of these packages.${line}${texts.join(line)}\n`;
}

/** CycloneDX 1.5, from npm's own list: only what is bundled or installed along. */
export function sbom({ name, version, license }, packages, installed) {
  const list = JSON.parse(
    execFileSync("npm", ["sbom", "--sbom-format", "cyclonedx", "--package-lock-only"], {
      encoding: "utf8",
      maxBuffer: 1 << 28,
    }),
  );
  const isPart = new Set(packages.map((each) => `${each.name}@${each.version}`));
  const components = list.components.filter(
    (each) =>
      isPart.has(`${each.group ? `${each.group}/` : ""}${each.name}@${each.version}`) ||
      installed.includes(each.name),
  );
  const refs = new Set([...components.map((each) => each["bom-ref"])]);
  const { component, tools } = list.metadata;
  const own = { ...component, name, version, licenses: [{ license: { id: license } }] };
  const dependencies = [
    { ref: component["bom-ref"], dependsOn: [...refs].sort() },
    ...list.dependencies
      .filter(({ ref }) => refs.has(ref))
      .map(({ ref, dependsOn = [] }) => ({
        ref,
        dependsOn: dependsOn.filter((to) => refs.has(to)),
      })),
  ];
  // Neither a time nor a random number: the same sources give the same bytes.
  const { bomFormat, specVersion, $schema } = list;
  const bom = { $schema, bomFormat, specVersion, version: 1, metadata: { tools, component: own } };
  return `${JSON.stringify({ ...bom, components, dependencies }, null, 2)}\n`;
}

/** The same list with Node, which some artifacts bring, and `others` of the packages of Debian. */
export function sbomWithNode(text, others = []) {
  const bom = JSON.parse(text);
  const added = [nodeComponent(), ...others.map(debianComponent)];
  const components = [...bom.components, ...added];
  const [own, ...dependencies] = bom.dependencies;
  const dependsOn = [...own.dependsOn, ...added.map((each) => each["bom-ref"])].sort();
  const all = [
    { ...own, dependsOn },
    ...dependencies,
    ...added.map((each) => ({ ref: each["bom-ref"], dependsOn: [] })),
  ];
  return `${JSON.stringify({ ...bom, components, dependencies: all }, null, 2)}\n`;
}

/** Versions of formats and tables, not of code. */
const NOT_CODE = ["modules", "napi", "node", "unicode", "cldr", "tz"];

function nodeComponent() {
  const { node, ...rest } = process.versions;
  const parts = Object.entries(rest).filter(([name]) => !NOT_CODE.includes(name));
  return {
    "bom-ref": `node@${node}`,
    type: "application",
    name: "node",
    version: node,
    licenses: [{ license: { id: "MIT" } }],
    purl: `pkg:generic/node@${node}`,
    cpe: `cpe:2.3:a:nodejs:node.js:${node}:*:*:*:*:*:*:*`,
    components: parts.map(([name, version]) => ({
      "bom-ref": `node@${node}/${name}@${version}`,
      type: "library",
      name,
      version,
    })),
  };
}

function debianComponent({ name, version, architecture, digest }) {
  const encoded = encodeURIComponent(version);
  const purl = `pkg:deb/debian/${name}@${encoded}?arch=${architecture}&distro=debian-13`;
  const hashes = [{ alg: "SHA-256", content: digest }];
  return { "bom-ref": purl, type: "library", name, version, hashes, purl };
}
