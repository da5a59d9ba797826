/** What the demonstration runs: hooks that do well, badly, slowly and not at all, a fence, updates, settings that change. */
import { join } from "node:path";

/** Signs what the generator sends; a demonstration has nothing to hide. */
export const SECRET = "demonstration";

export interface DemoPaths {
  readonly directory: string;
  /** The address of the registry whose releases become updates. */
  readonly registry: string;
}

/** Files by their path below the directory. `edit` numbers the changes. */
export function filesOf(where: DemoPaths, edit = 0): Readonly<Record<string, string>> {
  return {
    "main.reeve": configuration(where, edit),
    "secret.txt": SECRET,
    "zls.json": settings(edit),
  };
}

export const socketOf = (directory: string): string => join(directory, "hooks.sock");

const configuration = ({ directory, registry }: DemoPaths, edit: number): string => `
daemon {
  language = 1
}

hook_server "main" {
  listen = "unix:${socketOf(directory)}"
}

## Quick, and nearly always well.
hook "build" {
  run = ["sh", "-c", "echo compiling; sleep 0.$(( $$ % 9 )); echo done"]
  concurrency = 4
}

## Takes its time and says so line by line.
hook "deploy" {
  run = ["sh", "-c", "for step in fetch check copy restart verify; do echo $step; sleep 1; done"]
  concurrency = 1
  queue = 3
  timeout = ${20 + edit}s
}

## Fails every third time.
hook "tests" {
  run = ["sh", "-c", "echo running tests; [ $(( $$ % 3 )) -ne 0 ] || { echo one failed >&2; exit 1; }"]
}

## Takes too long.
hook "report" {
  run = ["sleep", "30"]
  timeout = 2s
  concurrency = 1
  queue = 2
}

## Requires a signature.
hook "signed" {
  verify "hmac" {
    header = "X-Hub-Signature-256"
    secret = secret("file:secret.txt")
  }
  run = ["echo", "the signature is right"]
}

## Reaches one address, and nothing else. Neither of those that are asked for is anybody's.
sandbox "fence" {
  allow = ["registry.example"]
  timeout = 10s
}

hook "fetch" {
  run = ["sh", "-c", "for host in registry tracker; do curl -sS -m 5 https://$host.example/ || true; done; sleep 1"]
  run_in = sandbox.fence
  concurrency = 2
  queue = 2
}

updates "main" {
  listen = "unix:${join(directory, "updates.sock")}"
  repositories = "./repositories"
  registry "npm_and_yarn" {
    url = "${registry}"
  }
}

settings "zls" {
  watch = ["./zls.json"]
}
`;

/** Now and then with a word that the server does not know. */
const settings = (edit: number): string =>
  JSON.stringify(
    {
      warn_style: edit % 2 === 0,
      enable_snippets: true,
      ...(edit % 3 === 1 && { enable_snipets: false }),
    },
    undefined,
    2,
  );
