/** Which files a configuration consists of: the root file and, by its imports, all others. */

import { basename, dirname, resolve } from "node:path";
import { type Diagnostic } from "../../../grammar/diagnostic.js";
import type * as tree from "../../../grammar/tree.js";
import { createDiagnostic, locationIn } from "../diagnose.js";
import { Dependencies } from "../evaluate/dependencies.js";
import { type EvaluationRun } from "../evaluate/evaluation-run.js";
import { fileComplaint } from "../evaluate/input-call.js";
import { NoValue } from "../evaluate/outcome.js";
import { SourceUnit } from "../evaluate/scope.js";
import { evaluateKnown } from "../evaluate/strict.js";
import { type FileFault } from "../inputs.js";
import { limits } from "../limits.js";
import { displayName, isBelow } from "../paths.js";
import { quoteString } from "../values/render.js";
import { declareLets } from "./flatten.js";
import { ImportArguments, type ImportRequest } from "./import-arguments.js";
import { readSource } from "./read-source.js";

/**
 * Follows imports as far as inputs are available and requests the rest. The root file comes first, then the others in
 * import order; missing files are left out. `onRoot` receives the root file before its imports are followed.
 */
export function gatherUnits(
  root: string,
  world: EvaluationRun,
  onRoot: (unit: SourceUnit) => void,
): readonly SourceUnit[] {
  const gathering = new Gathering(root, world, onRoot);
  gathering.visit(root, undefined, []);
  gathering.finish();
  return gathering.units;
}

const UNREADABLE = { why: "unreadable", detail: undefined } as const;

class Gathering {
  readonly units: SourceUnit[] = [];
  readonly #arguments: ImportArguments;
  readonly #byPath = new Map<string, SourceUnit>();
  readonly #root: string;
  readonly #world: EvaluationRun;
  readonly #onRoot: (unit: SourceUnit) => void;
  #length = 0;

  constructor(root: string, world: EvaluationRun, onRoot: (unit: SourceUnit) => void) {
    this.#root = root;
    this.#world = world;
    this.#arguments = new ImportArguments(world.report);
    this.#onRoot = onRoot;
  }

  /** Reads a file and its imports. `path` holds the files that led here. */
  visit(
    file: string,
    request: ImportRequest | undefined,
    path: readonly string[],
  ): SourceUnit | undefined {
    if (path.includes(file)) return this.#circle(file, request, path);
    const known = this.#byPath.get(file);
    if (known) {
      this.#arguments.give(known, request);
      return known;
    }
    if (path.length > limits.importDepth) {
      this.#refuse("E403", request, `imports go more than ${limits.importDepth} files deep`);
      return undefined;
    }
    if (this.units.length >= limits.files) {
      this.#refuse("E402", request, `a configuration has at most ${limits.files} files`);
      return undefined;
    }
    const unit = this.#read(file, request);
    if (unit) {
      this.#prepare(unit, [...path, file], request);
    }
    return unit;
  }

  finish(): void {
    this.#arguments.require(this.units);
  }

  #refuse(code: string, request: ImportRequest | undefined, message: string): void {
    this.#world.report(createDiagnostic(code, request?.location, message));
  }

  #circle(file: string, request: ImportRequest | undefined, path: readonly string[]): undefined {
    const directory = dirname(this.#root);
    const members = [...path.slice(path.indexOf(file)), file].map((each) =>
      quoteString(displayName(each, directory)),
    );
    this.#refuse("E209", request, `files import each other in a circle: ${members.join(" → ")}`);
  }

  #read(file: string, request: ImportRequest | undefined): SourceUnit | undefined {
    const within = request ? this.#world.roots : undefined;
    const answer = this.#world.inputs.ask({ kind: "file", path: file, within });
    if (!answer) return undefined;
    if (answer.kind !== "file") {
      const { why, detail } = answer.kind === "no_file" ? answer : UNREADABLE;
      this.#world.report(this.#absence(why, detail, file, request));
      return undefined;
    }
    this.#length += answer.text.length;
    if (this.#length > limits.text) {
      const most = limits.text / 1024 / 1024;
      this.#refuse("E401", request, `all files together are larger than ${most} MiB`);
      return undefined;
    }
    const name = displayName(file, dirname(this.#root));
    const { tree: parsed, diagnostics } = readSource(name, { ...answer, path: file });
    diagnostics.forEach(this.#world.report);
    const unit = new SourceUnit(file, name, answer.text, parsed);
    this.units.push(unit);
    this.#byPath.set(file, unit);
    this.#world.units.set(name, unit);
    return unit;
  }

  #absence(
    why: FileFault,
    detail: string | undefined,
    file: string,
    request: ImportRequest | undefined,
  ): Diagnostic {
    if (request) return fileComplaint(why, request.written, request.location, detail);
    if (why === "absent") {
      return createDiagnostic(
        "E505",
        undefined,
        `there is no configuration at ${quoteString(file)}`,
        {
          help: "`reeve init` writes one to begin with",
        },
      );
    }
    const { location: _none, ...rest } = fileComplaint(
      why,
      file,
      { file, start: 0, end: 0 },
      detail,
    );
    return rest;
  }

  /** Lets and mixins first: an import may be put together from lets. */
  #prepare(unit: SourceUnit, path: readonly string[], request: ImportRequest | undefined): void {
    const { items } = unit.tree;
    declareLets(items, unit.scope, this.#world.report);
    this.#arguments.give(unit, request);
    for (const item of items) {
      if (item.disabled) continue;
      if (item.kind === "mixin") this.#declareMixin(item, unit);
    }
    if (path.length === 1) this.#onRoot(unit);
    if (this.#world.inputs.wanting.length > 0 && path.length === 1) return;
    for (const item of items) {
      if (item.kind === "import" && !item.disabled) this.#follow(item, unit, path);
    }
  }

  #declareMixin(node: tree.Mixin, unit: SourceUnit): void {
    const context = {
      world: this.#world,
      scope: unit.scope,
      uses: new Dependencies(),
      report: this.#world.report,
    };
    const name = evaluateKnown(node.label, "the name of a mixin is needed now", context);
    if (typeof name !== "string") return;
    const earlier = unit.mixins.get(name);
    if (!earlier) {
      unit.mixins.set(name, { name, node, scope: unit.scope });
      return;
    }
    this.#world.report(
      createDiagnostic(
        "E206",
        locationIn(unit.name, node.label),
        `there is a \`mixin ${quoteString(name)}\` already`,
        {
          related: [
            { location: locationIn(unit.name, earlier.node.label), message: "first given here" },
          ],
        },
      ),
    );
  }

  #follow(node: tree.Import, unit: SourceUnit, path: readonly string[]): void {
    const report = this.#world.report;
    const context = { world: this.#world, scope: unit.scope, uses: new Dependencies(), report };
    const written = evaluateKnown(node.path, "what is imported is decided first of all", context);
    if (written instanceof NoValue || typeof written !== "string") return;
    const location = locationIn(unit.name, node.path);
    const target = resolve(dirname(unit.path), written);
    const given = node.arguments && { nodes: node.arguments, scope: unit.scope };
    const request: ImportRequest = { location, written, ...(given && { given }) };
    if (/[*?[\]{}]/.test(written)) {
      this.#followAll(node, target, request, unit, path);
      return;
    }
    if (!/\.reeve(\.json)?$/.test(written)) {
      report(
        createDiagnostic(
          "E115",
          location,
          "an import names files that end in `.reeve` or `.reeve.json`",
        ),
      );
      return;
    }
    if (!this.#world.roots.some((root) => isBelow(target, root))) {
      report(fileComplaint("outside", written, location));
      return;
    }
    const imported = this.visit(target, request, path);
    if (imported && node.alias) this.#name(node.alias, imported, unit);
  }

  #followAll(
    node: tree.Import,
    pattern: string,
    request: ImportRequest,
    unit: SourceUnit,
    path: readonly string[],
  ): void {
    const world = this.#world;
    if (node.alias) {
      world.report(
        createDiagnostic(
          "E115",
          locationIn(unit.name, node.alias),
          "files imported by a pattern have no common name",
          {
            help: "import the one file whose values are needed by its own path",
          },
        ),
      );
    }
    const answer = world.inputs.ask({ kind: "glob", pattern, within: world.roots });
    if (answer?.kind !== "glob") return;
    const files = answer.paths.filter((each) => each !== unit.path);
    if (files.length === 0) {
      world.report(
        createDiagnostic(
          "W104",
          request.location,
          `no file matches ${quoteString(request.written)}`,
        ),
      );
    }
    for (const file of files) {
      this.visit(file, { ...request, written: basename(file) }, path);
    }
  }

  #name(alias: tree.Name, imported: SourceUnit, unit: SourceUnit): void {
    const location = locationIn(unit.name, alias);
    const earlier = unit.aliases.get(alias.text);
    if (!earlier) {
      unit.aliases.set(alias.text, { unit: imported, location });
      return;
    }
    this.#world.report(
      createDiagnostic("E206", location, `the name \`${alias.text}\` is taken already`, {
        related: [{ location: earlier.location, message: "it means this" }],
      }),
    );
  }
}
