/** How long a version waits before it is offered. */

import type { SemverChange } from "../model.js";
import type { UpdatePolicy } from "./contract.js";
import { matchesPattern } from "./ignore.js";

/** Milliseconds. */
export function cooldownOf(
  { cooldown = 0, cooldowns = {} }: UpdatePolicy,
  name: string,
  change: SemverChange | undefined,
): number {
  const { changes = {}, include, exclude = [] } = cooldowns;
  const isMeant = include === undefined || include.some((pattern) => matchesPattern(pattern, name));
  if (!isMeant || exclude.some((pattern) => matchesPattern(pattern, name))) return 0;
  return (change === undefined ? undefined : changes[change]) ?? cooldown;
}

/** Whether release dates are needed. */
export const coolsDown = ({ cooldown = 0, cooldowns }: UpdatePolicy): boolean =>
  Math.max(cooldown, ...Object.values(cooldowns?.changes ?? {})) > 0;
