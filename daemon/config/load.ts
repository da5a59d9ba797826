/**
 * Loads a configuration: runs the pipeline and provides its inputs until none is missing, then runs the plugins' own
 * checks. Invalid input never throws: it returns diagnostics.
 */
import { type Diagnostic } from "../../grammar/diagnostic.js";
import { withHarmlessFixes } from "../../grammar/fix-guard.js";
import { errorMessage } from "../errors.js";
import { type Kept } from "./assemble/reuse.js";
import { collect, createDiagnostic } from "./diagnose.js";
import { answerFrom, type ConfigurationDisk, type DiskNeed, realDisk } from "./disk.js";
import { parseAhead } from "./expand/read-source.js";
import { remember } from "./explain/details.js";
import { type InputRequest, type InputValue, needKey } from "./inputs.js";
import { exhausted, type Result, runPass } from "./pipeline.js";
import { askPlugins } from "./plugin-checks.js";
import {
  type BoundCatalog,
  type HostProbe,
  type Loaded,
  type PluginCatalog,
  type PluginDeclaration,
} from "./program.js";
import { describeKind, describeType } from "./types/describe.js";
import { typeOfDescriptor } from "./types/type.js";
import { holds } from "./types/value-type.js";
import { validateProgram } from "./validate.js";
import { toSource } from "./values/as-written.js";
import { isList, isObject, objectOf, type Value } from "./values/value.js";

export interface LoadOptions extends Partial<ConfigurationDisk> {
  readonly catalog: PluginCatalog;
  /** The machine that is to run the configuration. Absent: only the text is checked. */
  readonly host?: HostProbe | undefined;
  /** Whether `explainValue` can explain the program: it then keeps everything that was evaluated. @default false */
  readonly explainable?: boolean;
}

/** Rounds of asking and answering; each round can only go one input deeper. */
const ROUNDS = 64;

/** Loads the configuration whose root file is at the absolute path `root`. */
export async function load(root: string, options: LoadOptions): Promise<Loaded> {
  const loading = new Loading(root, options);
  await loading.prefetchInputs();
  const result = await loading.run();
  const diagnostics = withHarmlessFixes(await loading.judge(result), result.sources);
  const failed = isFaulty(diagnostics);
  const { program, sources, watch, tests } = result;
  if (!failed && options.explainable) remember(program, result);
  return { program: failed ? undefined : program, diagnostics, sources, watch, tests };
}

/** A cache of the last load of a configuration. It saves time and never changes the result. */
interface Memory {
  /** Likely inputs of the next load: prefetching them saves rounds. */
  readonly needs: readonly DiskNeed[];
  readonly kept: Kept;
}

/** By root file; the configurations loaded longest ago are forgotten first. */
const memories = new Map<string, Memory>();
const REMEMBERED = 16;

class Loading {
  readonly #root: string;
  readonly #catalog: PluginCatalog;
  readonly #disk: ConfigurationDisk;
  readonly #host: HostProbe | undefined;
  readonly #answers = new Map<string, InputValue>();
  readonly #memory: Memory | undefined;
  #bound: BoundCatalog | undefined;

  constructor(root: string, { catalog, host, ...disk }: LoadOptions) {
    this.#host = host;
    this.#root = root;
    this.#catalog = catalog;
    this.#memory = memories.get(root);
    this.#disk = { ...realDisk, environment: process.env, overlay: new Map(), ...disk };
  }

  async prefetchInputs(): Promise<void> {
    await this.#answerAll(this.#memory?.needs ?? []);
  }

  async run(): Promise<Result> {
    for (let round = 0; round < ROUNDS; round += 1) {
      const pass = await runPass(this.#root, this.#answers, this.#bound, this.#memory?.kept);
      if (pass.kind === "finished") return this.#finish(pass.result);
      if (pass.kind === "wanting") await this.#answerAll(pass.needs);
      else this.#bound = await this.#bind(pass.declarations);
    }
    return exhausted(this.#root, this.#answers, ROUNDS);
  }

  /** Plugins validate last: their blocks without errors, then all of them together if there are no errors. */
  async judge({ checked, diagnostics, program }: Result): Promise<readonly Diagnostic[]> {
    const reported = [...diagnostics, ...(await askPlugins(checked))];
    if (!isFaulty(reported)) {
      reported.push(...(await validateProgram(program, this.#bound?.plugins ?? [], this.#host)));
    }
    return reported.length === diagnostics.length ? diagnostics : collect(reported);
  }

  /** An edit with errors is usually corrected by the next one, so the cache keeps the blocks it hid. */
  #finish(result: Result): Result {
    const needs = result.world.inputs.used.map(([need]) => need).filter(isOfDisk);
    const before = isFaulty(result.diagnostics) ? (this.#memory?.kept ?? []) : [];
    memories.delete(this.#root);
    memories.set(this.#root, { needs, kept: new Map([...before, ...result.kept]) });
    if (memories.size > REMEMBERED) memories.delete(memories.keys().next().value as string);
    return result;
  }

  async #answerAll(needs: readonly InputRequest[]): Promise<void> {
    await Promise.all(
      needs.map(async (need) => {
        const answer = isOfDisk(need)
          ? await answerFrom(this.#disk, need)
          : await answerCall(need, this.#bound);
        this.#answers.set(needKey(need), answer);
      }),
    );
    const texts = needs.flatMap((need) => {
      if (need.kind !== "file" || !need.path.endsWith(".reeve")) return [];
      const answer = this.#answers.get(needKey(need));
      return answer?.kind === "file" ? [{ ...answer, path: need.path }] : [];
    });
    await parseAhead(this.#root, texts);
  }

  async #bind(declarations: readonly PluginDeclaration[]): Promise<BoundCatalog> {
    try {
      return await this.#catalog.bind(declarations, this.#root);
    } catch (thrown) {
      const location = declarations[0]?.location;
      const failed = createDiagnostic(
        "E112",
        location,
        `the plugins cannot be loaded: ${errorMessage(thrown)}`,
      );
      return { plugins: [], diagnostics: [failed] };
    }
  }
}

const isFaulty = (diagnostics: readonly Diagnostic[]): boolean =>
  diagnostics.some(({ severity }) => severity === "error");
const isOfDisk = (need: InputRequest): need is DiskNeed => need.kind !== "call";

async function answerCall(
  need: Extract<InputRequest, { kind: "call" }>,
  bound: BoundCatalog | undefined,
): Promise<InputValue> {
  const plugin = bound?.plugins.find(({ description }) => description.id === need.plugin);
  const descriptor = plugin?.description.functions[need.name];
  if (!plugin || !descriptor) return { kind: "refused", message: "there is no such function" };
  try {
    const given = await plugin.call(need.name, need.arguments);
    const value = adopt(toSource(given, descriptor.returns));
    const type = typeOfDescriptor(descriptor.returns);
    if (holds(type, value)) return { kind: "value", value };
    const message = `it gave ${describeKind(value)}, not ${describeType(type)}`;
    return { kind: "refused", message };
  } catch (thrown) {
    return { kind: "refused", message: errorMessage(thrown) };
  }
}

function adopt(data: unknown): Value {
  if (isList(data)) return data.map(adopt);
  if (!isObject(data)) return (data ?? null) as Value;
  return objectOf(Object.entries(data).map(([name, each]) => [name, adopt(each)]));
}
