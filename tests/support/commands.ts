/** The commands as people install them: bundled, so a start costs half. */
import { fileURLToPath } from "node:url";

/** Mutation tests change the modules, which the bundles do not read. */
const directory = process.env.REEVE_TEST_UNBUNDLED ? "../../cli/" : "../../bundle/";
const path = (name: string): string =>
  fileURLToPath(new URL(`${directory}${name}.js`, import.meta.url));

export const REEVE = path("reeve");
/** The same without its bundle, for tests about what it loads. */
export const REEVE_MODULES = fileURLToPath(new URL("../../cli/reeve.js", import.meta.url));
export const AWF = path("awf");
export const WEBHOOK = path("webhook");

/** For programs that fetch from a registry: the environment with the home and so the settings of the person who runs the tests. */
export const personal: NodeJS.ProcessEnv = {
  ...process.env,
  HOME: process.env.REEVE_TEST_HOME ?? process.env.HOME,
};
