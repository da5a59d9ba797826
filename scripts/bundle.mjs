// Bundles the compiled commands into dist/bundle/: fewer files, so a faster start in less memory. Runs after
// tsc, whose output has the decorator metadata that a bundler cannot emit. Worker entries are not bundled.
import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { readBuiltinsOnDemand } from "./node-builtins.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const dist = join(root, "dist");
const output = join(dist, "bundle");

/**
 * Starts a command's file: a line that is shell and JavaScript. Node reads some of its own options, such as
 * `--env-file`, even behind the name of the file, so the shell marks every argument and the program removes the marks.
 */
const startLines = `#!/bin/sh
":" //; n=0 all= part=; for a do n=$((n+1)) part="$part \\":\\\${$n}\\""; case $n in *00) all=$all$part part=;; esac; done; eval exec node -- '"$0"' : "$all$part"
if (process.argv[2] === ":") process.argv.splice(2, Infinity, ...process.argv.slice(3).map((word) => word.slice(1)));
`;

/** Keeps relative file URLs valid: bundles lie flat in one directory. */
const ownAddresses = {
  name: "own-addresses",
  setup({ onLoad }) {
    onLoad({ filter: /\.js$/ }, ({ path }) => {
      if (!path.startsWith(dist)) return undefined;
      const own = `new URL(${JSON.stringify(relative(output, path))}, import.meta.url).href`;
      return {
        contents: readFileSync(path, "utf8").replaceAll("import.meta.url", own),
        loader: "js",
      };
    });
  },
};

/** Fastify imports Node's HTTP/2 module, which loads slowly; load it on first use. */
const http2WhenUsed = {
  name: "http2-when-used",
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^node:http2$/ }, ({ path }) => ({ path, namespace: "when-used" }));
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

/** `dist/cli/NAME.js` becomes `dist/bundle/NAME.js`, for each command. */
export async function bundle(names) {
  rmSync(output, { recursive: true, force: true });
  const { metafile } = await build({
    metafile: true,
    absWorkingDir: root,
    entryPoints: names.map((name) => join(dist, "cli", `${name}.js`)),
    outdir: output,
    entryNames: "[name]",
    chunkNames: "[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
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
    plugins: [http2WhenUsed, builtInPlugins, ownAddresses],
    banner: {
      js: 'import { createRequire as $require } from "node:module"; const require = $require(import.meta.url);',
    },
  });
  for (const name of names) {
    const file = join(output, `${name}.js`);
    writeFileSync(
      file,
      readFileSync(file, "utf8").replace(/^#!.*\n/, () => startLines),
    );
  }
  const early = readFirst(metafile, names);
  for (const path of Object.keys(metafile.outputs)) {
    if (!path.endsWith(".js") || early.has(path)) continue;
    const file = join(root, path);
    writeFileSync(file, readBuiltinsOnDemand(readFileSync(file, "utf8")));
  }
}

/** Entry files that report an unsupported Node version must parse in every version. */
function readFirst({ outputs }, names) {
  const found = new Set();
  const add = (path) => {
    if (found.has(path)) return;
    found.add(path);
    for (const { path: next, kind, external } of outputs[path].imports) {
      if (kind === "import-statement" && !external) add(next);
    }
  };
  for (const name of names) add(relative(root, join(output, `${name}.js`)));
  return found;
}
