/** The error of calls that a stopped plugin's code still makes. */
import { ReeveError } from "../errors.js";

export const pluginStoppedError = (plugin: string): ReeveError =>
  new ReeveError("plugin_stopped", `The plugin ${plugin} has stopped and cannot start anything.`);
