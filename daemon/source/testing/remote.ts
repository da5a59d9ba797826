/** A repository for tests that follow it. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ExecutionContext } from "ava";
import { output } from "../../../tests/support/child.js";
import { temporaryDirectory } from "../../services/testing/services.js";

/** A git repository with one branch, `main`; gone after the test. */
export class Remote {
  readonly directory: string;
  readonly #environment: NodeJS.ProcessEnv;

  constructor(readonly t: ExecutionContext) {
    this.directory = join(temporaryDirectory(t), "remote");
    mkdirSync(this.directory);
    this.#environment = {
      PATH: process.env.PATH,
      HOME: this.directory,
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_CONFIG_NOSYSTEM: "1",
    };
    this.git("init", "-q", "-b", "main");
    this.git("config", "user.name", "Test");
    this.git("config", "user.email", "test@localhost");
    this.git("config", "commit.gpgsign", "false");
  }

  git(...args: readonly string[]): string {
    return output("git", args, { cwd: this.directory, env: this.#environment }).trim();
  }

  /** Resolves with the commit. */
  commit(files: Readonly<Record<string, string>>, ...options: readonly string[]): string {
    for (const [name, text] of Object.entries(files)) {
      const path = join(this.directory, name);
      mkdirSync(join(path, ".."), { recursive: true });
      writeFileSync(path, text);
    }
    this.git("add", "-A");
    this.git("commit", "-qm", "change", "--allow-empty", ...options);
    return this.git("rev-parse", "HEAD");
  }
}
