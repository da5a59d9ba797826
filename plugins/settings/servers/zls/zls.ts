/** ZLS. Nothing needs a restart by its own logic; two paths keep what was derived from them before. */
import type { Live, Server } from "../server.js";
import { retired } from "./retired.js";
import { schema } from "./schema.js";

const exceptions: Readonly<Record<string, Live>> = {
  enable_build_on_save: "work",
  build_on_save_args: "work",
  zig_lib_path: "work",
  zig_exe_path: "work",
  build_runner_path: "work",
  warn_style: "diagnostics",
  highlight_global_var_declarations: "diagnostics",
  prefer_ast_check_as_child_process: "diagnostics",
  builtin_path: "restart",
  global_cache_path: "restart",
};

export const zls: Server = {
  name: "zls",
  title: "ZLS",
  schema,
  section: "zls",
  live: Object.fromEntries(
    Object.keys(schema.properties ?? {}).map((key) => [key, exceptions[key] ?? "request"]),
  ),
  retired,
  guesses: { zig_path: "zig_exe_path", build_on_save: "enable_build_on_save" },
  paths: {
    builtin_path: { kind: "file" },
    zig_lib_path: { kind: "directory" },
    zig_exe_path: { kind: "file" },
    build_runner_path: { kind: "file" },
    global_cache_path: { kind: "directory", mayBeMissing: true },
  },
  prefixes: ["zig.zls.", "zls."],
  isValid: true,
};
