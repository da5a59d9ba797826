/** `reeve/testing`: a plugin alive in a test, and the promises every plugin keeps. */

export type { DaemonEvent } from "../services/contract.js";
export { FakeClock } from "../services/fake-clock.js";
export { conformanceChecks } from "./conformance/checks.js";
export type { ConformanceCheck, ConformanceOptions } from "./conformance/options.js";
export type { PluginModule } from "./one-plugin.js";
export type {
  LoggedFields,
  PluginUnderTest,
  PreparedReload,
  Reloaded,
} from "./plugin-under-test.js";
export type { TestAnswer, TestRequest } from "./request.js";
export { type TestPluginOptions, testPlugin } from "./test-plugin.js";
