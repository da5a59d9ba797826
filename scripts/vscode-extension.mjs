// Packs editors/vscode into a .vsix: `node scripts/vscode-extension.mjs [FILE]`. The same sources give the same bytes.
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { strToU8, zipSync } from "fflate";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const source = join(root, "editors/vscode");
const manifest = JSON.parse(readFileSync(join(source, "manifest.json"), "utf8"));
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** The types of files in the package (Open Packaging Conventions). */
const types = {
  ".json": "application/json",
  ".js": "application/javascript",
  ".md": "text/markdown",
  ".txt": "text/plain",
  ".vsixmanifest": "text/xml",
};

const file = process.argv[2] ?? join(root, `dist/reeve-${version}.vsix`);
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, await pack());
process.stdout.write(`${file}\n`);

async function pack() {
  const shipped = { ...manifest, version };
  const files = {
    "extension/package.json": `${JSON.stringify(shipped, undefined, 2)}\n`,
    "extension/extension.js": await bundled(),
    "extension/reeve.tmLanguage.json": readFileSync(
      join(root, "editors/textmate/reeve.tmLanguage.json"),
    ),
    "extension/LICENSE.txt": readFileSync(join(root, "LICENSE")),
  };
  for (const name of globSync("{*.json,*.md,walkthrough/*.md}", { cwd: source })) {
    if (name !== "manifest.json") files[`extension/${name}`] = readFileSync(join(source, name));
  }
  const parts = {
    "[Content_Types].xml": contentTypes(Object.keys(files)),
    "extension.vsixmanifest": vsixManifest(shipped),
    ...Object.fromEntries(Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1))),
  };
  const contents = Object.entries(parts).map(([name, content]) => [
    name,
    typeof content === "string" ? strToU8(content) : new Uint8Array(content),
  ]);
  // The earliest time that a zip file can store; its time zone is that of the machine.
  return zipSync(Object.fromEntries(contents), { level: 9, mtime: new Date(1980, 0, 1) });
}

/** The editor provides `vscode`. */
async function bundled() {
  const { outputFiles } = await build({
    entryPoints: [join(source, "src/extension.ts")],
    absWorkingDir: root,
    bundle: true,
    write: false,
    platform: "node",
    format: "cjs",
    target: "node20",
    external: ["vscode"],
    minify: true,
    legalComments: "inline",
  });
  return outputFiles[0].text;
}

function contentTypes(names) {
  const extensions = [...new Set([".vsixmanifest", ...names.map(extname)])].sort();
  const entries = extensions.map((extension) => {
    if (types[extension] === undefined) throw new Error(`no content type for ${extension}`);
    return `<Default Extension="${extension}" ContentType="${types[extension]}"/>`;
  });
  return `<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">${entries.join("")}</Types>
`;
}

function vsixManifest({
  name,
  displayName,
  description,
  publisher,
  categories,
  engines,
  keywords,
  extensionKind,
  contributes,
}) {
  const languages = contributes.languages.map(({ id }) => id);
  const tags = [
    ...keywords,
    ...languages,
    ...contributes.languages.flatMap(({ extensions }) =>
      extensions.map((each) => `__ext_${each.slice(1)}`),
    ),
    "snippet",
  ];
  const xml = (text) => text.replace(/[<>&"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  const property = (id, value) => `<Property Id="${id}" Value="${xml(value)}"/>`;
  return `<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011" xmlns:d="http://schemas.microsoft.com/developer/vsx-schema-design/2011">
  <Metadata>
    <Identity Language="en-US" Id="${xml(name)}" Version="${xml(version)}" Publisher="${xml(publisher)}"/>
    <DisplayName>${xml(displayName)}</DisplayName>
    <Description xml:space="preserve">${xml(description)}</Description>
    <Tags>${xml([...new Set(tags)].join(","))}</Tags>
    <Categories>${xml(categories.join(","))}</Categories>
    <GalleryFlags>Public</GalleryFlags>
    <Properties>
      ${property("Microsoft.VisualStudio.Code.Engine", engines.vscode)}
      ${property("Microsoft.VisualStudio.Code.ExtensionDependencies", "")}
      ${property("Microsoft.VisualStudio.Code.ExtensionPack", "")}
      ${property("Microsoft.VisualStudio.Code.ExtensionKind", extensionKind.join(","))}
      ${property("Microsoft.VisualStudio.Code.LocalizedLanguages", "")}
      ${property("Microsoft.VisualStudio.Services.GitHubFlavoredMarkdown", "true")}
    </Properties>
    <License>extension/LICENSE.txt</License>
  </Metadata>
  <Installation>
    <InstallationTarget Id="Microsoft.VisualStudio.Code"/>
  </Installation>
  <Dependencies/>
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/README.md" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.License" Path="extension/LICENSE.txt" Addressable="true"/>
  </Assets>
</PackageManifest>
`;
}
