/** Which Node can run Reeve: what `engines` in package.json says. Written so that an old one can read it. */

/** Why this version cannot run Reeve, in one sentence; `undefined` where it can. */
export function refusalOf(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major >= 26 || (major === 24 && minor >= 12)) return undefined;
  return `reeve: this is Node ${version}, and Node 24.12 or a later one of the 24 series, or 26 or later, is needed; see https://nodejs.org/en/download`;
}
