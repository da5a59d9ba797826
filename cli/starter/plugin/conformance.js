// @ts-check
/** What `npm test` and `reeve plugin check` need to know to check the contract of all plugins. */
const config = `
  message "world" { text = "Hello, world!"; listen = "127.0.0.1:0" }
  message "moon" { text = "Good night."; listen = "127.0.0.1:0" }
`;

/**
 * The response to a request for a message.
 * @param {import("reeve/testing").PluginUnderTest} plugin
 * @param {string} label
 */
const get = async (plugin, label) => (await plugin.inject({ url: `/starter/${label}` })).body;

/** @type {import("reeve/testing").ConformanceOptions} */
const options = {
  config,
  // The same with one block changed.
  edited: config.replace("Hello", "Welcome"),
  // What the plugin does with a configuration, as plain data.
  observe: (plugin) => Promise.all(["world", "moon", "unknown"].map((label) => get(plugin, label))),
};

export default options;
