/** Keys that ZLS knew in other versions. People still have them in their files, where they do nothing. */
import type { Retired } from "../server.js";

const removed = (since: string): Retired => ({ note: `was removed in ${since}` });
const renamed = (use: string, since: string): Retired => ({
  note: `became \`${use}\` in ${since}`,
  use,
});

export const retired: Readonly<Record<string, Retired>> = {
  enable_semantic_tokens: {
    note: "became `semantic_tokens` (none, partial or full) in March 2023",
    use: "semantic_tokens",
  },
  enable_autofix: {
    note: "became `force_autofix` in November 2024; code actions on save do the same in most editors",
    use: "force_autofix",
  },
  build_on_save_step: renamed("build_on_save_args", "August 2024"),
  inlay_hints_show_variable_declaration: renamed(
    "inlay_hints_show_variable_type_hints",
    "October 2023",
  ),
  enable_inlay_hints: {
    note: "was removed in July 2024: switch hints in the editor, or single ones with `inlay_hints_show_…`",
  },
  enable_ast_check_diagnostics: { note: "is always on since January 2024" },
  enable_unused_variable_warnings: { note: "is always on since August 2022" },
  use_comptime_interpreter: removed("April 2023, with the interpreter"),
  dangerous_comptime_experiments_do_not_enable: removed("July 2024, with the experiments"),
  enable_import_embedfile_argument_completions: removed("October 2023"),
  operator_completions: removed("October 2023"),
  include_at_in_builtins: removed("October 2023"),
  max_detail_length: removed("October 2023"),
  record_session: removed("March 2024"),
  record_session_path: removed("March 2024"),
  replay_session_path: removed("March 2024"),
  completions_with_replace: removed("February 2024"),
  build_runner_global_cache_path: removed("June 2024"),
};
