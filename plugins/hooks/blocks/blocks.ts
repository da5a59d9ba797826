/** The plugin's blocks of the language, and their types. */
import type { Configuration } from "reeve/plugin";
import { hook } from "./hook.js";
import { hookServer } from "./hook-server.js";
import { hooksFile } from "./hooks-file.js";

export const blocks = { hook_server: hookServer, hook, hooks_file: hooksFile };

type Blocks = Configuration<typeof blocks>["blocks"];
export type HooksConfiguration = Configuration<typeof blocks>;
export type HookBlock = Blocks["hook"][number];
export type HooksFileBlock = Blocks["hooks_file"][number];
export type ServerBlock = Blocks["hook_server"][number];
export type VerifyBlock = HookBlock["values"]["verify"][number];
