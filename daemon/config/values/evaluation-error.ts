/** Why a value could not be computed. Thrown inside the evaluator and caught by it; users see a diagnostic or a failed run. */
export class EvaluationError extends Error {
  override readonly name = "Fault";
  readonly code: string;
  readonly help: string | undefined;

  /** `message`: a sentence without full stop. `code`: from `codes.ts`. */
  constructor(message: string, options: { readonly code?: string; readonly help?: string } = {}) {
    super(message);
    this.code = options.code ?? "E313";
    this.help = options.help;
  }
}
