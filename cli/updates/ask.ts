/** What every command about updates has in common. */
import type { Control } from "../control/client.js";
import { ControlError } from "../control/problem.js";
import { Exit, Failure } from "../plugin-api/exit.js";

const base = "/v1/updates";

/** @throws Failure where the daemon has no `updates` block */
export async function getUpdates<Answer>(
  control: Control,
  path: string,
  query: Readonly<Record<string, string | number | undefined>> = {},
): Promise<Answer> {
  return reached(control.get<Answer>(`${base}${path}`, query));
}

/** As `ask`, for what changes something. */
export async function postUpdates<Answer>(
  control: Control,
  path: string,
  body: unknown = {},
): Promise<Answer> {
  return reached(control.post<Answer>(`${base}${path}`, body));
}

/** The plugin is there only while a block asks for it. */
function reached<Answer>(answer: Promise<Answer>): Promise<Answer> {
  return answer.catch((thrown: unknown) => {
    const isAbsent =
      thrown instanceof ControlError &&
      thrown.problem.status === 404 &&
      !String(thrown.problem.code ?? "").startsWith("updates.");
    if (!isAbsent) throw thrown;
    throw new Failure(Exit.findings, "the daemon's configuration has no `updates` block", {
      help: 'Write one: `updates "main" { repositories = "./repositories" }`.',
    });
  });
}

/** @throws Failure for anything but `ACCOUNT/NAME` */
export function repositoryName(written: string): { readonly login: string; readonly name: string } {
  const [, login, name] = /^([^/]+)\/([^/]+)$/.exec(written) ?? [];
  if (login !== undefined && name !== undefined) return { login, name };
  throw new Failure(Exit.usage, `${written} is not the name of a repository`, {
    help: "Write ACCOUNT/NAME, such as `acme/site`.",
  });
}
