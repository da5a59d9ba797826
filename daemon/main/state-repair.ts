/** What `reeve state repair` does to a state directory, with and without a running daemon. */
import { copyFileSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

export { acceptDamage, type DamageFinding, readDamage } from "../services/store/state-damage.js";

const evidence = /^(damage.*\.jsonl|journal\.mark|journal-\d+\.segment|.*\.damaged-.*)$/;

/** Copies damaged databases, the journal and the findings. Returns the names. @throws an error of the operating system */
export function exportDamage(state: string, to: string): readonly string[] {
  const names = readdirSync(state).filter(
    (name) => evidence.test(name) && statSync(join(state, name)).isFile(),
  );
  mkdirSync(to, { recursive: true, mode: 0o700 });
  for (const name of names) copyFileSync(join(state, name), join(to, name));
  return names;
}
