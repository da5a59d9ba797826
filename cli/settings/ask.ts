/** What the daemon says of settings. */
import type { SettingsSnapshot, VersionView } from "../../plugins/settings/offline.js";
import type { Control } from "../control/client.js";
import { ControlError } from "../control/problem.js";
import { Exit, Failure } from "../plugin-api/exit.js";

export const nameArgument = { name: "NAME", summary: "of which `settings` block (default: all)" };

/** @throws Failure where there is no such block */
export async function getSettings(
  control: Control,
  name: string | undefined,
): Promise<readonly SettingsSnapshot[]> {
  const { settings } = await control
    .get<{ readonly settings: readonly SettingsSnapshot[] }>("/v1/settings")
    .catch((thrown: unknown) => {
      // The plugin is there only while a block asks for it.
      if (thrown instanceof ControlError && thrown.problem.status === 404) return { settings: [] };
      throw thrown;
    });
  const wanted = settings.filter((each) => name === undefined || each.name === name);
  if (wanted.length > 0) return wanted;
  const names = settings.map((each) => each.name).join(", ");
  throw new Failure(
    Exit.findings,
    name === undefined
      ? "the daemon's configuration has no `settings` block"
      : `the daemon's configuration has no \`settings "${name}"\``,
    {
      help:
        names === ""
          ? 'Write one: `settings "zls" { watch = ["~/.config/zls.json"] }`.'
          : `It has: ${names}.`,
    },
  );
}

export const versionsOf = async (control: Control, name: string): Promise<readonly VersionView[]> =>
  (
    await control.get<{ readonly versions: readonly VersionView[] }>(
      `/v1/settings/${encodeURIComponent(name)}/versions`,
    )
  ).versions;
