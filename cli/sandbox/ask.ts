/** What the daemon says of sandboxes. */
import type { SandboxSummary } from "../../plugins/firewall/offline.js";
import type { Control } from "../control/client.js";
import { ControlError } from "../control/problem.js";
import { Exit, Failure } from "../plugin-api/exit.js";

export const nameArgument = {
  name: "NAME",
  summary: "of which `sandbox` block",
  required: true,
} as const;

/** The address of what is asked about one sandbox. */
export const sandboxPath = (name: string, what: string): string =>
  `/v1/firewall/sandboxes/${encodeURIComponent(name)}/${what}`;

/** All of them; the plugin is there only while a block asks for it. */
export async function sandboxes(control: Control): Promise<readonly SandboxSummary[]> {
  const { sandboxes: all } = await control
    .get<{ readonly sandboxes: readonly SandboxSummary[] }>("/v1/firewall/sandboxes")
    .catch((thrown: unknown) => {
      if (thrown instanceof ControlError && thrown.problem.status === 404) return { sandboxes: [] };
      throw thrown;
    });
  return all;
}

/** Says of a name that is not there which ones are. @throws Failure */
export async function withKnownSandbox<Answer>(
  control: Control,
  name: string,
  request: Promise<Answer>,
): Promise<Answer> {
  try {
    return await request;
  } catch (thrown) {
    if (!(thrown instanceof ControlError) || thrown.problem.status !== 404) throw thrown;
    const names = (await sandboxes(control)).map((each) => each.name).join(", ");
    throw new Failure(Exit.findings, `the daemon's configuration has no \`sandbox "${name}"\``, {
      help:
        names === ""
          ? `Write one: \`sandbox "${name}" { allow = ["example.org"] }\`.`
          : `It has: ${names}.`,
    });
  }
}
