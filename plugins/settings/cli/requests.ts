/** Requests to the control routes of settings. */
import { type Control, Exit, Failure } from "reeve/cli";
import type { SettingsSnapshot, VersionView } from "../offline.js";

export const nameArgument = { name: "NAME", summary: "one `settings` block (default: all)" };

/** @throws Failure where there is no such block */
export async function getSettings(
  control: Control,
  name: string | undefined,
): Promise<readonly SettingsSnapshot[]> {
  const body = await control.find<{ readonly settings: readonly SettingsSnapshot[] }>("");
  const settings = body?.settings ?? [];
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
          ? 'Add one: `settings "zls" { watch = ["~/.config/zls.json"] }`.'
          : `It has: ${names}.`,
    },
  );
}

export const versionsOf = async (control: Control, name: string): Promise<readonly VersionView[]> =>
  (
    await control.get<{ readonly versions: readonly VersionView[] }>(
      `/${encodeURIComponent(name)}/versions`,
    )
  ).versions;
