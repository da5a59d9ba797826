/** The served hooks, by file. */
import { readFileSync } from "node:fs";
import { complaintLine, readHooks } from "../compat/file/read.js";
import type { FileHook } from "../compat/hook.js";
import { secretsIn } from "../compat/secrets.js";
import { expandTemplate } from "../compat/template/template.js";
import { hostWorld } from "../compat/template/world.js";
import type { WebhookLog } from "./log.js";

export interface HookTableOptions {
  readonly template: boolean;
  readonly strict: boolean;
}

export class HookTable {
  readonly #files = new Map<string, readonly FileHook[]>();
  readonly #options: HookTableOptions;
  readonly #log: WebhookLog;
  #byId: ReadonlyMap<string, FileHook> = new Map();
  /** An id that two files have; the second file is refused. */
  duplicate: string | undefined;

  constructor(options: HookTableOptions, log: WebhookLog) {
    this.#options = options;
    this.#log = log;
  }

  get size(): number {
    return this.#byId.size;
  }

  find(id: string): FileHook | undefined {
    return this.#byId.get(id);
  }

  /** Reads a file; an invalid one keeps its previous hooks. Returns whether it is valid. */
  load(path: string): boolean {
    this.#log.say(`attempting to ${this.#files.has(path) ? "reload" : "load"} hooks from ${path}`);
    const read = this.#read(path);
    if (typeof read === "string") {
      this.#log.complain(`couldn't load hooks from file! ${read}`);
      return false;
    }
    const duplicate = this.#duplicateOf(path, read);
    this.duplicate = duplicate;
    this.#log.say(`found ${read.length} hook(s) in file`);
    for (const { id } of read) {
      if (id === duplicate) return this.#refuseDuplicate(path, id);
      this.#log.say(`\tloaded: ${id}`);
    }
    this.#put(path, read);
    return true;
  }

  #refuseDuplicate(path: string, id: string): false {
    this.#log.complain(
      `error: hook with the id ${id} has already been loaded!\nplease check your hooks file for duplicate hooks ids!`,
    );
    if (this.#files.has(path)) this.#log.say("reverting hooks back to the previous configuration");
    return false;
  }

  /** The file is removed, and its hooks with it. */
  drop(path: string): void {
    const hooks = this.#files.get(path);
    if (!hooks) return;
    for (const { id } of hooks) this.#log.say(`\tremoving: ${id}`);
    this.#log.say(`removed ${hooks.length} hook(s) that were loaded from file ${path}`);
    this.#put(path, undefined);
  }

  #read(path: string): readonly FileHook[] | string {
    let text: string;
    try {
      text = readFileSync(path, "utf8");
    } catch (thrown) {
      return `${path}: ${reason(thrown)}`;
    }
    if (this.#options.template) {
      const expanded = expandTemplate(text, hostWorld);
      if (!expanded.ok) return complaintLine(path, expanded);
      text = expanded.text;
    }
    const reading = readHooks(text, this.#options);
    if (reading.ok) return reading.hooks;
    return reading.complaints.map((complaint) => complaintLine(path, complaint)).join("\n");
  }

  /** An id that another file has. */
  #duplicateOf(path: string, hooks: readonly FileHook[]): string | undefined {
    const others = [...this.#files].filter(([other]) => other !== path);
    const taken = new Set(others.flatMap(([, present]) => present.map(({ id }) => id)));
    return hooks.find(({ id }) => taken.has(id))?.id;
  }

  /** In one step, so no request sees half a table. The first hook of an id in a file counts. */
  #put(path: string, hooks: readonly FileHook[] | undefined): void {
    if (hooks) this.#files.set(path, hooks);
    else this.#files.delete(path);
    const all = [...this.#files.values()].flat();
    this.#byId = new Map(all.toReversed().map((hook) => [hook.id, hook]));
    this.#log.secrets = all.flatMap(secretsIn);
  }
}

function reason(thrown: unknown): string {
  const { code } = thrown as NodeJS.ErrnoException;
  if (code === "ENOENT") return "there is no such file";
  if (code === "EACCES") return "it may not be read";
  return code === "EISDIR" ? "it is a directory" : String(thrown);
}
