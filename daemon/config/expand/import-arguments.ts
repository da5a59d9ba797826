/** The arguments that imports give to files. */
import type { SourceLocation } from "../../../grammar/diagnostic.js";
import { createDiagnostic, locationIn, type ReportDiagnostic } from "../diagnose.js";
import type { GivenArguments, SourceUnit } from "../evaluate/scope.js";
import { quoteString } from "../values/render.js";
import { bindArguments, requireArguments } from "./parameters.js";

/** The location and text of the import, with its arguments; none for the root file. */
export interface ImportRequest {
  readonly location: SourceLocation;
  readonly written: string;
  readonly given?: GivenArguments;
}

const ONCE =
  "a file is read once, so one import gives its arguments; for several sets of them, use a mixin with parameters";

export class ImportArguments {
  readonly #report: ReportDiagnostic;
  /** The import that gives each file its arguments, or else the first one. */
  readonly #requests = new Map<SourceUnit, ImportRequest>();

  constructor(report: ReportDiagnostic) {
    this.#report = report;
  }

  /** Call it before the file's own imports are followed: their paths may depend on the arguments. */
  give(unit: SourceUnit, request: ImportRequest | undefined): void {
    const earlier = this.#requests.get(unit);
    if (!request || (earlier && !request.given)) return;
    const subject = quoteString(unit.name);
    if (earlier && unit.scope.given) {
      this.#refuse(request, `the arguments of ${subject} are given twice`, {
        help: ONCE,
        related: [{ location: earlier.location, message: "first given here" }],
      });
    } else if (unit.scope.parameters.some(({ state }) => state.kind === "done")) {
      this.#refuse(request, `the parameters of ${subject} are read before this import`, {
        help: "write the import with arguments first",
      });
    } else {
      this.#requests.set(unit, request);
      if (request.given) bindArguments(unit.scope, request.given, subject, this.#report);
    }
  }

  #refuse({ location }: ImportRequest, message: string, details: object): void {
    this.#report(createDiagnostic("E308", location, message, details));
  }

  /** Reports parameters without a value. */
  require(units: readonly SourceUnit[]): void {
    for (const unit of units) {
      const request = this.#requests.get(unit);
      const [first] = unit.scope.parameters;
      if (!first) continue;
      const location = request?.location ?? locationIn(unit.name, first.node.name);
      const help = (name: string) =>
        request
          ? `write \`(${name} = …)\` behind the path, or give \`param ${name}\` a default`
          : `no file imports this one: write \`let ${name} = …\``;
      requireArguments(unit.scope, location, quoteString(unit.name), help, this.#report);
    }
  }
}
