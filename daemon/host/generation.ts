/** Brings all touched plugins through one attempt: start, secrets, prepare; then commit or abort, and release. */
import type { Diagnostic } from "../../grammar/diagnostic.js";
import type { PluginSource } from "../catalog/source.js";
import { diagnosticOf } from "../config/plugin-reports.js";
import type { Plan, Program, ProgramBlock } from "../config/program.js";
import { resolveSecrets, type SecretResolver } from "../config/secrets.js";
import { errorMessage, ReeveError } from "../errors.js";
import type { ChangeAction } from "../plugin-api/plugin.js";
import type { PreparedGeneration, PrepareOutcome } from "./contract.js";
import { inOrderOfReferences } from "./order.js";
import { failureMessage, pluginDiagnostic } from "./reports.js";
import type { PluginAttempt } from "./supervision/attempt.js";
import type { Quarantine } from "./supervision/quarantine.js";
import type { Supervisor } from "./supervision/supervisor.js";

export interface GenerationOptions {
  readonly program: Program;
  readonly plan: Plan;
  readonly generation: number;
  readonly signal: AbortSignal;
  /** The plugins to ask, with the code they are to run. */
  readonly touched: ReadonlyArray<{ readonly plugin: Supervisor; readonly source: PluginSource }>;
  readonly quarantine: Quarantine;
  readonly resolver: (attempts: readonly PluginAttempt[]) => SecretResolver;
  /** Called at the commit, before the plugins swap. */
  committing(program: Program): void;
  released(): Promise<void>;
}

type Touched = GenerationOptions["touched"][number];

export async function prepareGeneration(options: GenerationOptions): Promise<PrepareOutcome> {
  return new Attempts(options).run();
}

class Attempts {
  readonly #options: GenerationOptions;
  readonly #attempts = new Map<string, PluginAttempt>();
  readonly #diagnostics: Diagnostic[] = [];
  /** Quarantined: its blocks are accepted without calling it. */
  readonly #kept: Touched[] = [];
  #failed: string | undefined;
  #program: Program;

  constructor(options: GenerationOptions) {
    this.#options = options;
    this.#program = options.program;
  }

  async run(): Promise<PrepareOutcome> {
    const { touched, signal } = this.#options;
    await this.#suspectsAlone(touched, (each) => this.#start(each));
    if (this.#failed === undefined) await this.#resolveSecrets();
    if (this.#failed === undefined) {
      const opened = touched.filter(({ plugin }) => this.#attempts.has(plugin.id));
      await this.#suspectsAlone(opened, (each) => this.#prepare(each));
    }
    if (this.#failed === undefined && signal.aborted) this.#fail(errorMessage(signal.reason));
    const diagnostics = this.#diagnostics;
    if (this.#failed === undefined) return { ok: true, prepared: this.#prepared(), diagnostics };
    await this.#abort();
    return { ok: false, reason: this.#failed, diagnostics };
  }

  /** All at once, except plugins that may have killed the daemon: those run first, one by one. */
  async #suspectsAlone(all: readonly Touched[], ask: (each: Touched) => Promise<void>) {
    const isSuspect = ({ plugin }: Touched) => this.#options.quarantine.isSuspect(plugin.id);
    for (const each of all.filter(isSuspect)) await ask(each);
    await Promise.all(all.filter((each) => !isSuspect(each)).map(ask));
  }

  async #start(touched: Touched): Promise<void> {
    const { plugin, source } = touched;
    const held = this.#options.quarantine.held(plugin.id);
    if (held) {
      plugin.quarantined(held.reason, held.at);
      this.#kept.push(touched);
      this.#diagnostics.push(
        pluginDiagnostic(
          "W651",
          `the plugin \`${plugin.id}\` is in quarantine, so this does not take effect`,
          this.#firstChanged(plugin.id),
          `when the cause is gone: reeve plugin release ${plugin.id}`,
        ),
      );
      return;
    }
    try {
      this.#attempts.set(plugin.id, await plugin.open(source, this.#options.signal));
    } catch (thrown) {
      const what = `the plugin \`${plugin.id}\` does not start`;
      this.#refuse("E651", failureMessage(what, thrown), plugin.id, isTemporary(thrown));
    }
  }

  async #resolveSecrets(): Promise<void> {
    const resolver = this.#options.resolver([...this.#attempts.values()]);
    const { program, diagnostics } = await resolveSecrets(this.#options.program, resolver);
    this.#diagnostics.push(...diagnostics);
    if (program) this.#program = program;
    else this.#fail("A secret cannot be had.");
  }

  async #prepare({ plugin: { id } }: Touched): Promise<void> {
    const { generation, signal } = this.#options;
    const blocks = this.#blocksOf(id);
    try {
      const part = { generation, blocks, changes: this.#changesOf(id) };
      const reports = (await this.#attempts.get(id)?.prepare(part, signal)) ?? [];
      this.#diagnostics.push(...reports.map((report) => diagnosticOf(id, report, blocks)));
      const refusal = reports.find(({ severity }) => severity === "error");
      if (refusal) this.#fail(`The plugin ${id} refuses it: ${refusal.message}.`);
    } catch (thrown) {
      const what = `the plugin \`${id}\` cannot prepare`;
      this.#refuse("E652", failureMessage(what, thrown), id, isTemporary(thrown));
    }
  }

  #prepared(): PreparedGeneration {
    const { committing, released, generation } = this.#options;
    const order = inOrderOfReferences([...this.#attempts.keys()], this.#program);
    const attempts = order.flatMap((id) => this.#attempts.get(id) ?? []);
    return {
      commit: () => {
        committing(this.#program);
        for (const { plugin } of this.#kept) {
          plugin.accept({ generation, blocks: this.#blocksOf(plugin.id) });
        }
        for (const attempt of attempts) attempt.commit();
      },
      abort: () => this.#abort(),
      release: async () => {
        await Promise.all(attempts.map((attempt) => attempt.release()));
        await released();
      },
    };
  }

  async #abort(): Promise<void> {
    await Promise.all([...this.#attempts.values()].map((attempt) => attempt.abort()));
  }

  /** `host`: the machine is the cause, so another try may succeed. */
  #refuse(code: string, message: string, plugin: string, host: boolean): void {
    const diagnostic = pluginDiagnostic(code, message, this.#firstChanged(plugin));
    this.#diagnostics.push({ ...diagnostic, ...(host && { host }) });
    this.#fail(`${message.charAt(0).toUpperCase()}${message.slice(1)}.`.replaceAll("`", ""));
  }

  #fail(reason: string): void {
    this.#failed ??= reason;
  }

  #blocksOf(plugin: string): readonly ProgramBlock[] {
    return [...this.#program.blocks.values()].filter((block) => block.plugin === plugin);
  }

  #changesOf(plugin: string): ReadonlyMap<string, ChangeAction> {
    const own = this.#options.plan.changes.filter((change) => change.plugin === plugin);
    return new Map(own.map(({ key, action }) => [key, action]));
  }

  #firstChanged(plugin: string): ProgramBlock | undefined {
    const { plan, program } = this.#options;
    const change = plan.changes.find(
      (each) => each.plugin === plugin && each.action !== "unchanged" && each.action !== "removed",
    );
    return change && program.blocks.get(change.key);
  }
}

/** An address is taken or not there yet, or the plugin is late. */
const isTemporary = (thrown: unknown): boolean =>
  thrown instanceof ReeveError &&
  ["deadline", "address_in_use", "cannot_listen"].includes(thrown.code);
