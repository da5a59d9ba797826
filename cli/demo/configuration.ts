/** What the demonstration runs: hooks that do well, badly, slowly and not at all; settings that change. */
import { join } from "node:path";

/** Signs what the generator sends; a demonstration has nothing to hide. */
export const SECRET = "demonstration";

/** Files by their path below the directory. `edit` numbers the changes. */
export function filesOf(directory: string, edit = 0): Readonly<Record<string, string>> {
  return {
    "main.reeve": configuration(directory, edit),
    "secret.txt": SECRET,
    "zls.json": settings(edit),
  };
}

export const socketOf = (directory: string): string => join(directory, "hooks.sock");

const configuration = (directory: string, edit: number): string => `
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

## Only for those who can sign.
hook "signed" {
  verify "hmac" {
    header = "X-Hub-Signature-256"
    secret = secret("file:secret.txt")
  }
  run = ["echo", "the signature is right"]
}

settings "zls" {
  watch = ["./zls.json"]
}
`;

const settings = (edit: number): string =>
  JSON.stringify({ warn_style: edit % 2 === 0, enable_snippets: true }, undefined, 2);
