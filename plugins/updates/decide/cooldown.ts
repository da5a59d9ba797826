/** How long a version has to wait before it is offered. */
import type { Policy, SemverChange } from "./contract.js";
import { matches } from "./ignore.js";

/** Milliseconds. */
export function cooldownOf(
  { cooldown = 0, cooldowns = {} }: Policy,
  name: string,
  change: SemverChange | undefined,
): number {
  const { changes = {}, include, exclude = [] } = cooldowns;
  const isMeant = include === undefined || include.some((pattern) => matches(pattern, name));
  if (!isMeant || exclude.some((pattern) => matches(pattern, name))) return 0;
  return (change === undefined ? undefined : changes[change]) ?? cooldown;
}

/** Whether anybody has to know when versions were published. */
export const coolsDown = ({ cooldown = 0, cooldowns }: Policy): boolean =>
  Math.max(cooldown, ...Object.values(cooldowns?.changes ?? {})) > 0;
