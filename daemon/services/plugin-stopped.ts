/** What a plugin's code hears that goes on after its end. */
import { ReeveError } from "../errors.js";

export const pluginStoppedError = (plugin: string): ReeveError =>
  new ReeveError("plugin_stopped", `The plugin ${plugin} has been stopped: it can begin nothing.`);
