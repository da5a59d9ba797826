/** Commands and their results that every engine must give, in the test internet of `zone`. */
import { inBatches, type Outcome } from "./batches.js";
import type { Result } from "./test-internet.js";
import type { Zone } from "./world-process.js";

export const zone: Zone = {
  "allowed.test": ["93.184.216.34"],
  "sub.allowed.test": ["93.184.216.34"],
  "denied.test": ["93.184.216.35"],
  "rebinding.allowed.test": ["127.0.0.1"],
};

export const quiet = ["--log-level", "error", "--dns-servers", "8.8.8.8"];
export const allowing = [...quiet, "--allow-domains", "allowed.test"];

export interface Case {
  readonly title: string;
  readonly command: string;
  readonly args?: readonly string[];
  readonly code?: number;
  readonly stdout?: string | RegExp;
  /** It is about awf itself, which has to be started for it. */
  readonly isOfRun?: true;
}

export const cases: readonly Case[] = [
  {
    title: "an allowed name answers over http through the proxy",
    command: "curl -sS http://allowed.test/",
    stdout: /"host":"allowed.test"/,
  },
  {
    title: "an allowed name answers over http to a program that uses no proxy",
    command: "curl -sS --noproxy '*' http://allowed.test/",
    stdout: /"address":"(::ffff:)?93.184.216.34"/,
  },
  {
    title: "an allowed name answers over https through the proxy",
    command: "curl -sSk https://allowed.test/",
    stdout: /"secure":true/,
  },
  {
    title: "an allowed name answers over https to a program that uses no proxy",
    command: "curl -sSk --noproxy '*' https://allowed.test/",
    stdout: /"secure":true/,
  },
  {
    title: "a subdomain of an allowed name answers",
    command: "curl -sSk https://sub.allowed.test/",
    stdout: /"host":"sub.allowed.test"/,
  },
  {
    title: "upper case and a trailing dot are the same name",
    command: "curl -sSk https://ALLOWED.test./",
    stdout: /"secure":true/,
  },
  {
    title: "a denied name over http gets 403 and the reason",
    command: "curl -s -o /dev/stderr -w '%{http_code}' http://denied.test/ 2>/dev/null",
    stdout: "403",
  },
  {
    title: "a denied name over https gets 403 from the proxy",
    command: "curl -sk https://denied.test/",
    code: 56,
  },
  { title: "a denied name does not resolve", command: "getent hosts denied.test", code: 2 },
  {
    title: "an address is denied even if an allowed name resolves to it",
    command: "curl -s -o /dev/null -w '%{http_code}' --noproxy '*' http://93.184.216.34/",
    stdout: "403",
  },
  {
    title: "TLS without a server name is denied",
    command: "curl -sk --noproxy '*' https://93.184.216.34/",
    code: 35,
  },
  {
    title: "a name that resolves to an internal address is denied",
    command: "curl -s -o /dev/null -w '%{http_code}' http://rebinding.allowed.test/",
    stdout: "403",
  },
  {
    title: "another port is refused at once",
    command: "curl -sS --noproxy '*' http://allowed.test:8080/",
    code: 7,
  },
  {
    title: "nothing is reachable without a list",
    args: quiet,
    command: "curl -s -o /dev/null -w '%{http_code}' http://allowed.test/",
    stdout: "403",
  },
  {
    title: "a listed port answers a program that uses no proxy",
    args: [...quiet, "--allow-domains", "allowed.test:22"],
    command: "timeout 10 bash -c 'exec 3<>/dev/tcp/allowed.test/22 && head -c 13 <&3'",
    stdout: "SSH-2.0-world",
  },
  {
    title: "a request gets a credential that the command does not have",
    args: [
      ...allowing,
      ...["--env", "TOKEN=outside-0001", "--inject-credential", "TOKEN=http://allowed.test"],
    ],
    command: 'curl -sS -H "Authorization: Bearer $TOKEN" http://allowed.test/; echo "$TOKEN"',
    stdout: /"authorization":"Bearer outside-0001".*\n(?!outside)\w{24}\n$/s,
  },
  {
    title: "one word is a shell line",
    command: "echo a && echo b | tr b c",
    stdout: "a\nc\n",
    isOfRun: true,
  },
  { title: "the command's exit code is awf's", command: "exit 42", code: 42, isOfRun: true },
  {
    title: "a command that does not exist ends with 127",
    command: "no-such-command-here",
    code: 127,
    isOfRun: true,
  },
  {
    title: "a command killed by a signal ends with 128 and its number",
    command: "kill -9 $$",
    code: 137,
    isOfRun: true,
  },
  {
    title: "the command starts in the home directory",
    command: 'test "$PWD" = "$HOME" && echo home',
    stdout: "home\n",
    isOfRun: true,
  },
];

/** Runs cases. Those whose subject is not the start have one run, in which their commands follow each other. */
export const runner = (
  run: (args: readonly string[], command: string) => Promise<Result>,
): ((which: Case) => Promise<Outcome>) =>
  inBatches(
    cases,
    ({ args, isOfRun }) => (args === undefined && !isOfRun ? "together" : undefined),
    ({ args = allowing }, command) => run(args, command),
  );
