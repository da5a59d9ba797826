// Bundles compiled modules: fewer files, so a faster start in less memory. The build bundles the commands into dist/bundle/,
// scripts/package.mjs everything that a package needs. Runs after tsc, whose output has the decorator metadata that a bundler
// cannot emit.
import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { readBuiltinsOnDemand } from "./node-builtins.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const dist = join(root, "dist");

/**
 * Starts a command's file: a line that is shell and JavaScript. Node reads some of its own options, such as
 * `--env-file`, even behind the name of the file, so the shell marks every argument and the program removes the marks.
 */
const startLines = `#!/bin/sh
":" //; n=0 all= part=; for a do n=$((n+1)) part="$part \\":\\\${$n}\\""; case $n in *00) all=$all$part part=;; esac; done; eval exec node -- '"$0"' : "$all$part"
if (process.argv[2] === ":") process.argv.splice(2, Infinity, ...process.argv.slice(3).map((word) => word.slice(1)));
`;

/** Stand for the ways from an output to `dist` and to the folder of the bundle, which are known when the output is written. */
const TO_DIST = "%DIST%/";
const TO_BUNDLE = "%BUNDLE%/";

/** `createRequire(from)("name")`, which loads a package on first use only, or a module's own address. */
const ADDRESSED =
  /\bcreateRequire\(import\.meta\.(?:url|resolve\("([^"]+)"\))\)\("([^"]+)"\)|\bimport\.meta\.url\b/g;

/**
 * Keeps relative file URLs valid, wherever a module's code ends up. Packages that are loaded on first use are written to
 * `found`: name to file.
 */
const ownAddresses = (found) => ({
  name: "own-addresses",
  setup({ onLoad }) {
    onLoad({ filter: /\.js$/ }, ({ path }) => {
      if (!path.startsWith(dist)) return undefined;
      const from = (way) => `new URL(${JSON.stringify(way)}, import.meta.url)`;
      const contents = readFileSync(path, "utf8").replace(ADDRESSED, (_, by, name) => {
        if (name === undefined) return `${from(TO_DIST + relative(dist, path))}.href`;
        if (name.endsWith(".json")) return `require(${JSON.stringify(name)})`;
        const near = createRequire(path);
        found.set(name, (by ? createRequire(near.resolve(by)) : near).resolve(name));
        const file = `decodeURIComponent(${from(`${TO_BUNDLE}vendor/${name}.cjs`)}.pathname)`;
        return `createRequire(import.meta.url)(${file})`;
      });
      return { contents, loader: "js" };
    });
  },
});

/** Fastify requires Node's HTTP/2 module, which loads slowly; load it on first use. Own modules import its classes as they are. */
const http2WhenUsed = {
  name: "http2-when-used",
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^node:http2$/ }, ({ path, importer }) =>
      importer.includes("/node_modules/")
        ? { path, namespace: "when-used" }
        : { path, external: true },
    );
    onLoad({ filter: /^/, namespace: "when-used" }, ({ path }) => ({
      contents: `module.exports = new Proxy({}, { get: (_, name) => process.getBuiltinModule(${JSON.stringify(path)})[name] });`,
    }));
  },
};

/** Built-in plugins have their own chunks, which load when a plugin is configured. */
const builtInPlugins = {
  name: "built-in-plugins",
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^reeve\/plugin$/ }, () => ({
      path: join(dist, "daemon/plugin-api/index.js"),
    }));
    // A command bundles only the exports of `reeve/cli` that it uses.
    onResolve({ filter: /^reeve\/cli$/ }, () => ({
      path: join(dist, "cli/plugin-api/index.js"),
      sideEffects: false,
    }));
    onLoad({ filter: /\/cli\/program\/bundled\.js$/ }, ({ path }) => {
      const folders = globSync("plugins/*/cli/index.js", { cwd: dist }).map(dirname);
      const imports = folders.map((folder, index) => {
        const address = JSON.stringify(relative(dirname(path), join(dist, folder, "manifest.js")));
        return `import { manifest as manifest${index} } from ${address};`;
      });
      const entries = folders.map((folder, index) => {
        const address = JSON.stringify(relative(dirname(path), join(dist, folder, "index.js")));
        const name = JSON.stringify(folder.split("/")[1]);
        return `${name}: { manifest: manifest${index}, load: () => import(${address}) }`;
      });
      return {
        contents: `${imports.join("")}export const bundled = {${entries.join(",")}};`,
        loader: "js",
      };
    });
    onLoad({ filter: /\/daemon\/catalog\/bundled\.js$/ }, ({ path }) => {
      const modules = globSync("plugins/*/plugin.js", { cwd: dist }).map((module) => {
        const address = JSON.stringify(relative(dirname(path), join(dist, module)));
        return `${JSON.stringify(module.split("/")[1])}: () => import(${address})`;
      });
      return { contents: `export const bundled = {${modules.join(",")}};`, loader: "js" };
    });
  },
};

/** Bundles the script of the page of `reeve web`. */
export const bundlePage = () =>
  build({
    entryPoints: [join(dist, "cli/web/page/main.js")],
    outfile: join(dist, "cli/web/page.js"),
    bundle: true,
    format: "esm",
    minify: true,
  });

/** The script is a text in the bundle, so that packages need no further file. */
const pageScript = {
  name: "page-script",
  setup({ onLoad }) {
    onLoad({ filter: /\/cli\/web\/script\.js$/ }, ({ path }) => {
      const text = JSON.stringify(readFileSync(join(dirname(path), "page.js"), "utf8"));
      return { contents: `export const pageScript = ${text};`, loader: "js" };
    });
  },
};

/** What all bundles have in common. */
const common = {
  absWorkingDir: root,
  metafile: true,
  bundle: true,
  platform: "node",
  target: "node24",
  legalComments: "linked",
  minifyWhitespace: true,
  minifySyntax: true,
  // Bundle only React's production build.
  define: { "process.env.NODE_ENV": '"production"' },
  // Native modules locate their own files; Ink needs its developer tools only for debugging.
  external: ["koffi", "react-devtools-core"],
  // Locates its own files in a way that bundlers cannot follow.
  alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" },
};

/**
 * Bundles modules of `dist` into the folder `output`, an absolute path: a module `cli/reeve` becomes the file
 * `entries["cli/reeve"]` of `output`. `commands` are the modules that a shell starts, `files` the folder where code finds
 * what is beside `dist`'s modules. Returns the names of the files that went in, below the project.
 */
export async function bundle({ output, entries, commands, files = dist }) {
  rmSync(output, { recursive: true, force: true });
  const found = new Map();
  const { metafile } = await build({
    ...common,
    entryPoints: Object.entries(entries).map(([module, out]) => ({
      in: join(dist, `${module}.js`),
      out,
    })),
    outdir: output,
    chunkNames: "chunks/[name]-[hash]",
    splitting: true,
    format: "esm",
    plugins: [http2WhenUsed, builtInPlugins, pageScript, ownAddresses(found)],
    banner: {
      js: 'import { createRequire as $require } from "node:module"; const require = $require(import.meta.url), __filename = import.meta.filename, __dirname = import.meta.dirname;',
    },
  });
  const vendored = await build({
    ...common,
    entryPoints: Object.fromEntries([...found].map(([name, file]) => [`vendor/${name}`, file])),
    outdir: output,
    outExtension: { ".js": ".cjs" },
    format: "cjs",
  });
  const commandFiles = commands.map((module) => join(output, `${entries[module]}.js`));
  const early = readFirst(metafile, commandFiles);
  for (const path of Object.keys(metafile.outputs)) {
    if (!path.endsWith(".js")) continue;
    const file = join(root, path);
    const way = (folder) => `${relative(dirname(file), folder) || "."}/`;
    let text = readFileSync(file, "utf8")
      .replaceAll(TO_DIST, way(files))
      .replaceAll(TO_BUNDLE, way(output));
    if (commandFiles.includes(file)) text = text.replace(/^#!.*\n/, () => startLines);
    writeFileSync(file, early.has(path) ? text : readBuiltinsOnDemand(text));
  }
  return [metafile, vendored.metafile].flatMap(({ inputs }) => Object.keys(inputs));
}

/** Entry files that report an unsupported Node version must parse in every version. */
function readFirst({ outputs }, files) {
  const found = new Set();
  const add = (path) => {
    if (found.has(path)) return;
    found.add(path);
    for (const { path: next, kind, external } of outputs[path].imports) {
      if (kind === "import-statement" && !external) add(next);
    }
  };
  for (const file of files) add(relative(root, file));
  return found;
}
