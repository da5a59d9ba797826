/** Requests to the control routes of sandboxes. */
import { type Control, ControlError, Exit, Failure } from "reeve/cli";
import type { SandboxSummary } from "../daemon/api.js";

export const nameArgument = {
  name: "NAME",
  summary: "the name of a `sandbox` block",
  required: true,
  complete: async (control: Control) => (await sandboxes(control)).map(({ name }) => name),
} as const;

/** The path of a route about one sandbox. */
export const sandboxPath = (name: string, route: string): string =>
  `/sandboxes/${encodeURIComponent(name)}/${route}`;

/** None while no block asks for the plugin. */
export async function sandboxes(control: Control): Promise<readonly SandboxSummary[]> {
  const path = "/sandboxes";
  return (
    (await control.find<{ readonly sandboxes: readonly SandboxSummary[] }>(path))?.sandboxes ?? []
  );
}

/** Turns a 404 into a list of the sandboxes there are. @throws Failure */
export async function withKnownSandbox<Body>(
  control: Control,
  name: string,
  request: Promise<Body>,
): Promise<Body> {
  try {
    return await request;
  } catch (thrown) {
    if (!(thrown instanceof ControlError) || thrown.problem.status !== 404) throw thrown;
    const names = (await sandboxes(control)).map((each) => each.name).join(", ");
    throw new Failure(Exit.findings, `the daemon's configuration has no \`sandbox "${name}"\``, {
      help:
        names === ""
          ? `Add one: \`sandbox "${name}" { allow = ["example.org"] }\`.`
          : `It has: ${names}.`,
    });
  }
}
