/** Tests that need a program of the system. Without it they are skipped and counted; in CI, which has every program, they run. */
import { accessSync, constants, existsSync, globSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import type { TestFn } from "ava";

export interface Requirement {
  /** For the title of a skipped test. */
  readonly name: string;
  readonly isPresent: () => boolean;
}

/** A program on PATH, or a file or pattern with an absolute path. */
export const program = (wanted: string, name = wanted): Requirement => ({
  name,
  isPresent: () =>
    isAbsolute(wanted)
      ? globSync(wanted).length > 0
      : (process.env.PATH ?? "").split(delimiter).some((directory) => {
          try {
            accessSync(join(directory, wanted), constants.X_OK);
            return true;
          } catch {
            return false;
          }
        }),
});

/** A tool that `npm test` fetches into the cache of the installed packages. `pattern`: of its directory's name. */
export const fetched = (pattern: string, name: string): Requirement => ({
  name,
  isPresent: () => globSync(join("node_modules", ".cache", "reeve", pattern)).some(existsSync),
});

/** The user root: `npm test` as another one skips what only root may do. */
export const rootUser: Requirement = { name: "root", isPresent: () => process.getuid?.() === 0 };

export const postgres = program("/usr/lib/postgresql/*/bin/initdb", "PostgreSQL");

/** `test`, if all requirements are present; else the same interface, which skips each test and says why in its title. */
export function needs<Context>(
  test: TestFn<Context>,
  ...requirements: readonly Requirement[]
): TestFn<Context> {
  const missing = requirements.filter(({ isPresent }) => !isPresent()).map(({ name }) => name);
  if (missing.length === 0 || process.env.CI) return test;
  const reason = ` (needs ${missing.join(", ")})`;
  const skip = (title: unknown, ...rest: readonly unknown[]): void => {
    // A macro titles itself.
    const named = typeof title === "string" ? title + reason : title;
    Reflect.apply(test.skip, test, [named, ...rest]);
  };
  const ignore = Object.assign(() => undefined, { always: () => undefined });
  const hooks = { before: ignore, beforeEach: ignore, after: ignore, afterEach: ignore };
  const kept = { ...hooks, macro: test.macro, meta: test.meta, skip: test.skip, todo: test.todo };
  const serial = Object.assign(skip.bind(undefined), kept);
  return Object.assign(skip, kept, { serial }) as unknown as TestFn<Context>;
}
