/**
 * The settings of ZLS, the language server for Zig: 23 properties, as its versions 0.14 and later have them.
 * A default of null is a value too, although the property's type does not say so: it means "not set".
 */
import type { JsonSchema } from "../server.js";

const flag = (byDefault: boolean, description: string) => ({
  description,
  type: "boolean",
  default: byDefault,
});
const path = (description: string) => ({ description, type: "string", default: null });

export const schema: JsonSchema = {
  $schema: "http://json-schema.org/draft-04/schema#",
  title: "ZLS",
  description: "Settings of ZLS, the language server for Zig.",
  type: "object",
  properties: {
    enable_snippets: flag(true, "Offer snippets in completions, where the editor can use them."),
    enable_argument_placeholders: flag(
      true,
      "Put placeholders for a function's arguments into completions.",
    ),
    completion_label_details: flag(true, "Show a function's signature beside its completion."),
    enable_build_on_save: {
      description:
        "Build when a file is saved and show what the compiler says. Not set: where the build file declares a `check` step.",
      type: "boolean",
      default: null,
    },
    build_on_save_args: {
      description:
        "Arguments of the build on save. A `check` step that the build file declares is preferred over the `install` step.",
      type: "array",
      items: { type: "string" },
      default: [],
    },
    semantic_tokens: {
      description:
        "How much is highlighted by meaning. `partial` is only what needs semantic analysis.",
      type: "string",
      enum: ["none", "partial", "full"],
      default: "full",
    },
    inlay_hints_show_variable_type_hints: flag(true, "Inlay hints with the types of variables."),
    inlay_hints_show_struct_literal_field_type: flag(
      true,
      "Inlay hints with the types of fields in struct and union literals.",
    ),
    inlay_hints_show_parameter_name: flag(true, "Inlay hints with the names of parameters."),
    inlay_hints_show_builtin: flag(true, "Inlay hints in calls of builtin functions."),
    inlay_hints_exclude_single_argument: flag(
      true,
      "No inlay hints in calls that have one argument.",
    ),
    inlay_hints_hide_redundant_param_names: flag(
      false,
      "No inlay hint where the argument is an identifier with the parameter's name.",
    ),
    inlay_hints_hide_redundant_param_names_last_token: flag(
      false,
      "No inlay hint where the argument ends with an identifier that has the parameter's name.",
    ),
    force_autofix: flag(
      false,
      "Repair on save, for editors that cannot run `source.fixall` code actions then.",
    ),
    warn_style: flag(false, "Warn where code does not follow the style guide."),
    highlight_global_var_declarations: flag(false, "Highlight global `var` declarations."),
    skip_std_references: flag(
      false,
      "Leave out the standard library when references are searched. Rename and definitions still work. Without effect from ZLS 0.16 on.",
    ),
    prefer_ast_check_as_child_process: flag(
      true,
      "Run the compiler's `ast-check` rather than the one that is built in.",
    ),
    builtin_path: path("The file of the `builtin` module. Not set: it is found."),
    zig_lib_path: path("The directory of the compiler's library. Not set: that of `zig_exe_path`."),
    zig_exe_path: path("The compiler's executable, not its directory. Not set: from `PATH`."),
    build_runner_path: path("A build runner of your own, used to learn about the build."),
    global_cache_path: path(
      "The compiler's cache directory. Not set: one named `zls` in the platform's cache directory.",
    ),
  },
};
