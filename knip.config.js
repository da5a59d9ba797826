/** Dead code is looked for from these entries. The grammar is read too: what only its actions use is in use. */
export default {
  entry: [
    "grammar/index.ts",
    "grammar/reeve.peggy",
    "grammar/testing/fuzz-worker.ts",
    "plugins/firewall/engine/{enter,mask-process,home/commit-process}.ts",
    "plugins/firewall/testing/{world-process,fuzz/main,fuzz/worker}.ts",
    "plugins/updates/managers/lock/worker.ts",
    "{bench,tests}/*/main.ts",
    "bench/reload/loop-delay.ts",
    "bench/tui/daemon.ts",
    "bench/updates-engine/{lookup-process,registry,their-lookup-process}.ts",
    "scripts/*.mjs",
    "cli/*.ts",
    "cli/web/page/main.ts",
    "editors/vscode/src/extension.ts",
    "{cli/plugin-api,plugins/*/cli}/{index,manifest}.ts",
    "daemon/{,plugin-testing/}index.ts",
    "**/*.test.{ts,tsx}",
    "**/*.test-d.ts",
  ],
  project: [
    "scripts/*.mjs",
    "{grammar,daemon,plugins,cli,editors,tests,bench}/**/*.{ts,tsx,peggy}",
  ],
  // Loaded by `require`, see bench/language/main.ts; the others are servers that tests start, or are read as text.
  ignoreDependencies: [
    "axe-core",
    "@cdktf/hcl2json",
    "@yarnpkg/cli-dist",
    "pnpm",
    "pnpm-11",
    "yarn-3",
    // Provided by the editor.
    "vscode",
  ],
  // Brought by the host: see scripts/system-packages.mjs.
  ignoreBinaries: [
    "apt-get",
    "bwrap",
    "getent",
    "mmdebstrap",
    "mount",
    "nsenter",
    "script",
    "systemd-nspawn",
    "unshare",
  ],
  compilers: {
    peggy: (text) => {
      const [, initializer = ""] = /\{\{([\s\S]*?)\}\}/.exec(text) ?? [];
      const uses = text.match(/\b(?:lexeme|node)\.\w+/g) ?? [];
      return `${initializer}\n${uses.join(";\n")};`;
    },
  },
};
