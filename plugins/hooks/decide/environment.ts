/** Names of environment variables. */

/** Why it cannot name a variable. */
export function badName(name: string): string | undefined {
  if (/^[A-Za-z_][A-Za-z0-9_.-]*$/.test(name)) return undefined;
  return `\`${name.slice(0, 80)}\` cannot be the name of an environment variable; use letters, digits and \`_\``;
}
