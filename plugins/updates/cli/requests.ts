/** Requests to the control routes of updates. */
import { type Control, ControlError, Exit, Failure } from "reeve/cli";

export const repositoryArgument = { name: "ACCOUNT/NAME", summary: "only this repository" };

/** @throws Failure where the daemon has no `updates` block */
export async function getUpdates<Body>(
  control: Control,
  path: string,
  query: Readonly<Record<string, string | number | undefined>> = {},
): Promise<Body> {
  return control.get<Body>(path, query).catch(explainAbsence);
}

/** As `getUpdates`, for changes. */
export async function postUpdates<Body>(
  control: Control,
  path: string,
  body: unknown = {},
): Promise<Body> {
  return control.post<Body>(path, body).catch(explainAbsence);
}

/** The plugin serves its routes only while a block asks for it. */
function explainAbsence(thrown: unknown): never {
  const isAbsent =
    thrown instanceof ControlError &&
    thrown.problem.status === 404 &&
    !String(thrown.problem.code ?? "").startsWith("updates.");
  if (!isAbsent) throw thrown;
  throw new Failure(Exit.findings, "the daemon's configuration has no `updates` block", {
    help: 'Add one: `updates "main" { repositories = "./repositories" }`.',
  });
}

/** @throws Failure for anything but `ACCOUNT/NAME` */
export function repositoryName(text: string): { readonly login: string; readonly name: string } {
  const [, login, name] = /^([^/]+)\/([^/]+)$/.exec(text) ?? [];
  if (login !== undefined && name !== undefined) return { login, name };
  throw new Failure(Exit.usage, `${text} is not a repository name`, {
    help: "Write ACCOUNT/NAME, such as `acme/site`.",
  });
}
