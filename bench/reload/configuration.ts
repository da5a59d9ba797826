/** 1,000 hooks in 20 files: what a large host might have. */

export const FILES = 20;
export const HOOKS = 50;

/** The block that is edited, in the middle of one of the files. */
export const EDITED = { file: 7, hook: 21 } as const;

/** Answers with `status` to requests that its condition does not hold for: how an edit is seen from outside. */
function hookText(file: number, hook: number, status: number): string {
  return `
hook "h-${file}-${hook}" {
  use mixin.bounded
  when = payload.ref =~ re"^refs/heads/(main|release/.+)$"
      && payload.repository.full_name == "\${let.org}/r${hook}"
  run = ["true", payload.after, header["X-Env"] ?? "prod"]
  response {
    wait = true
    mismatch_status = ${status}
  }
}
`;
}

/** One file; `status` is that of the edited hook's refusals. */
export const fileText = (file: number, status: number): string =>
  fileOf(file, HOOKS, (hook) => (file === EDITED.file && hook === EDITED.hook ? status : 403));

/** One file with `count` hooks; `statusOf` a hook's refusals. */
export function fileOf(file: number, count: number, statusOf: (hook: number) => number): string {
  const hooks = Array.from({ length: count }, (_, hook) => hookText(file, hook, statusOf(hook)));
  return `let org = "example"
mixin "bounded" {
  timeout = 30s
  concurrency = 2
}
${hooks.join("")}`;
}

export const nameOf = (file: number): string => `teams/team-${String(file).padStart(2, "0")}.reeve`;

/** The whole configuration by file name. Port 0: the daemon says where it listens. */
export function configuration(count = FILES, hooks = HOOKS): Record<string, string> {
  const files = Array.from({ length: count }, (_, file) => [
    nameOf(file),
    fileOf(file, hooks, () => 403),
  ]);
  const main = `import "./teams/*.reeve"

hook_server "default" { listen = "127.0.0.1:0" }
`;
  return { "main.reeve": main, ...Object.fromEntries(files) };
}
