/**
 * Everything that can be wrong with a valid program before it runs: what plugins find in all their blocks together, addresses,
 * and, with a probe, what the machine lacks. `check`, `plan`, editors and the daemon get it from `load`; the daemon repeats it
 * while the program runs.
 */
import { dirname } from "node:path";
import type { Diagnostic } from "../../grammar/diagnostic.js";
import { errorMessage, ReeveError } from "../errors.js";
import type { Range } from "../plugin-api/values.js";
import { type Address, addressText, parseAddress } from "./address.js";
import { createDiagnostic } from "./diagnose.js";
import { blockAt, contextOf, diagnosticOf } from "./plugin-reports.js";
import type {
  BoundPlugin,
  HostProbe,
  PluginFindings,
  PluginReport,
  Program,
  ProgramBlock,
  Unavailable,
} from "./program.js";
import { readSecret, readSecrets, type SecretResolver } from "./secrets.js";
import { ConfiguredBlock } from "./values/block.js";
import type { SecretValue } from "./values/secret.js";

/** Without a probe nothing outside the text is examined. */
export async function validateProgram(
  program: Program,
  plugins: readonly BoundPlugin[],
  probe: HostProbe | undefined,
): Promise<readonly Diagnostic[]> {
  const validation = new Validation(program, probe);
  await validation.run(plugins);
  if (!probe?.lenient) return validation.diagnostics;
  return validation.diagnostics.map((each) =>
    each.host ? { ...each, severity: "warning" } : each,
  );
}

type Listening = PluginFindings["addresses"][number];

class Validation {
  readonly diagnostics: Diagnostic[] = [];
  readonly #program: Program;
  readonly #probe: HostProbe | undefined;
  #blocks: Program["blocks"];

  constructor(program: Program, probe: HostProbe | undefined) {
    this.#program = program;
    this.#probe = probe;
    this.#blocks = program.blocks;
  }

  async run(plugins: readonly BoundPlugin[]): Promise<void> {
    const probe = this.#probe;
    if (probe) {
      const { blocks, diagnostics } = await readSecrets(this.#blocks, probe.secret);
      this.#blocks = blocks;
      this.diagnostics.push(...diagnostics);
      await this.#checkStore(probe);
    }
    const addresses = await Promise.all(plugins.map((plugin) => this.#ask(plugin)));
    await this.#checkAddresses(addresses.flat());
  }

  async #ask({ description: { id }, inspect }: BoundPlugin): Promise<readonly Listening[]> {
    const own = [...this.#blocks.values()].filter(({ plugin }) => plugin === id);
    if (!inspect || own.length === 0) return [];
    const options = { directory: dirname(this.#program.root), host: this.#probe !== undefined };
    try {
      const { reports, addresses } = await inspect(own, options);
      const lasting = reports.map((report) => this.#lowered(report, own));
      this.diagnostics.push(...lasting.map((report) => diagnosticOf(id, report, own)));
      return addresses;
    } catch (thrown) {
      const message = `the plugin \`${id}\` could not check its blocks: ${errorMessage(thrown)}`;
      this.#report("E512", new ConfiguredBlock(own[0] as ProgramBlock).range, { message });
      return [];
    }
  }

  #lowered(report: PluginReport, own: readonly ProgramBlock[]): PluginReport {
    const block = report.keeps ? blockAt(report.range, own) : undefined;
    const runs = block !== undefined && this.#probe?.runs?.(block.key);
    return runs ? { ...report, severity: "warning", host: true } : report;
  }

  async #checkAddresses(all: readonly Listening[]): Promise<void> {
    const wanted = new Map<string, readonly [Range, Address]>();
    for (const { range, address } of all) {
      try {
        const parsed = parseAddress(address);
        const text = addressText(parsed);
        if (!wanted.has(text)) wanted.set(text, [range, parsed]);
      } catch (thrown) {
        this.#report("E320", range, unavailable(thrown));
      }
    }
    await Promise.all(
      Array.from(wanted.values(), async ([range, address]) => {
        const refused = await this.#probe?.address(address);
        if (refused) this.#report("E513", range, refused, true);
      }),
    );
  }

  async #checkStore(probe: HostProbe): Promise<void> {
    const { store } = this.#program.daemon;
    if (!store) return;
    const secret = store.postgres as SecretValue;
    const isOwn = secret.references.every((each) => /^(env|file):/.test(each));
    if (!isOwn) return;
    try {
      await probe.database(await readSecret(secret, probe.secret as SecretResolver));
    } catch (thrown) {
      this.#report("E653", store.location, unavailable(thrown), true);
    }
  }

  #report(code: string, location: Range, { message, help }: Unavailable, host = false): void {
    const block = blockAt(location, this.#blocks.values());
    const diagnostic = createDiagnostic(code, location, message, { help });
    this.diagnostics.push({ ...diagnostic, ...(host && { host: true }), ...contextOf(block) });
  }
}

/** An error as a clause. */
function unavailable(thrown: unknown): Unavailable {
  const text = errorMessage(thrown).replace(/\.$/, "");
  return {
    message: `${text.charAt(0).toLowerCase()}${text.slice(1)}`,
    help: thrown instanceof ReeveError ? thrown.help : undefined,
  };
}
