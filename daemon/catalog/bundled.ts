/** The built-in plugins that were bundled together with the daemon, by name: none here, the bundler puts them in. */
export const bundled: Readonly<Record<string, () => Promise<{ readonly default?: unknown }>>> = {};
