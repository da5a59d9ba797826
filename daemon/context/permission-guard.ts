/**
 * Checks a plugin's declared permissions when it uses the host. In a process, which has no other
 * access, undeclared use is refused; elsewhere it is allowed and logged once.
 */
import { resolve } from "node:path";
import { ReeveError } from "../errors.js";
import type { Directories, Log } from "../plugin-api/context.js";
import type { Permissions } from "../plugin-api/descriptor.js";
import type { Files } from "../plugin-api/files.js";
import type { Processes } from "../plugin-api/processes.js";

type Kind = "listen" | "exec" | "read";

const WORDS: Readonly<Record<Kind, string>> = {
  listen: "listen on",
  exec: "run",
  read: "read",
};

export class PermissionGuard {
  readonly #permissions: Permissions;
  readonly #enforced: boolean;
  readonly #directories: Directories;
  readonly #log: Log;
  readonly #logged = new Set<string>();

  constructor(permissions: Permissions, enforced: boolean, directories: Directories, log: Log) {
    this.#permissions = permissions;
    this.#enforced = enforced;
    this.#directories = directories;
    this.#log = log;
  }

  listen(address: string): void {
    this.#pass("listen", address, (allowed) => allowed === address);
  }

  processes(processes: Processes): Processes {
    return {
      run: async (request) => {
        const [program = ""] = request.argv;
        this.#pass("exec", program, (allowed) => allowed === program);
        return processes.run(request);
      },
    };
  }

  files(files: Files): Files {
    return {
      watch: async (patterns, options, changed) => {
        for (const pattern of patterns) {
          if (this.#isOwn(pattern)) continue;
          this.#pass("read", pattern, (allowed) => isWithin(pattern, allowed));
        }
        return files.watch(patterns, options, changed);
      },
    };
  }

  #isOwn(path: string): boolean {
    const { state, cache, temporary } = this.#directories;
    return [state, cache, temporary].some((folder) => isWithin(path, folder));
  }

  #pass(kind: Kind, what: string, covers: (allowed: string) => boolean): void {
    const declared = this.#permissions[kind];
    if (declared === true || declared?.some(covers)) return;
    const message = `The plugin does not declare that it may ${WORDS[kind]} ${what}.`;
    const help = `Declare it in the plugin's \`permissions\`: ${kind}.`;
    if (this.#enforced) throw new ReeveError("not_permitted", message, { help });
    const key = `${kind} ${what}`;
    if (!this.#logged.has(key)) this.#log.warn(message);
    this.#logged.add(key);
  }
}

function isWithin(path: string, folder: string): boolean {
  const direct = resolve(path);
  const inside = resolve(folder);
  return direct === inside || direct.startsWith(inside === "/" ? inside : `${inside}/`);
}
