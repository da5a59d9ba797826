/** Runs a package manager's program in a scratch directory with its own environment and limits. */
import { UpdatesError } from "../../errors.js";
import type { Tools } from "../contract.js";

export interface ToolRun {
  /** Program and arguments. */
  readonly argv: readonly string[];
  readonly directory: string;
  /** The program's environment, besides `PATH` and its own home. */
  readonly env: Readonly<Record<string, string>>;
  readonly tools: Pick<Tools, "run" | "signal" | "sandboxDirectory">;
  /** Milliseconds. @default 120000 */
  readonly timeout?: number;
}

export interface ToolResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Limits: seconds of processor time, and file size in blocks of 512 bytes. */
const LIMITS = "ulimit -t 240; ulimit -f 4194304";

/** The daemon's own variables for a company's certificates and proxy. */
const network = [
  ...["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR"],
  ...["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"],
];

/** Names under which tools that do not read `SSL_CERT_FILE` want the same file. */
const certificateFile = ["REQUESTS_CA_BUNDLE", "PIP_CERT", "GIT_SSL_CAINFO", "HEX_CACERTS_PATH"];

/** A sandbox has its own proxy and certificates. */
function networkEnvironment(isSandboxed: boolean): Readonly<Record<string, string>> {
  if (isSandboxed) return {};
  const { SSL_CERT_FILE: file } = process.env;
  const entries = [
    ...network.map((name) => [name, process.env[name]] as const),
    ...certificateFile.map((name) => [name, file] as const),
  ];
  return Object.fromEntries(entries.flatMap(([name, value]) => (value ? [[name, value]] : [])));
}

/** @throws UpdatesError `tool_missing`, `tool_failed` where it did not come to an end by itself */
export async function runTool({
  argv,
  directory,
  env,
  tools,
  timeout = 120_000,
}: ToolRun): Promise<ToolResult> {
  const [program = ""] = argv;
  const result = await tools.run({
    argv: ["sh", "-c", `${LIMITS}; exec "$@"`, "sh", ...argv],
    cwd: directory,
    env: {
      PATH: process.env.PATH ?? "/usr/local/bin:/usr/bin:/bin",
      HOME: directory,
      LC_ALL: "C",
      ...networkEnvironment(tools.sandboxDirectory !== undefined),
      ...env,
    },
    inheritEnv: false,
    timeout,
    output: "separate",
    outputLimit: 1024 * 1024,
    ...(tools.signal === undefined ? {} : { signal: tools.signal }),
  });
  const [stdout = "", stderr = ""] = [result.stdout, result.stderr].map((bytes) =>
    new TextDecoder().decode(bytes),
  );
  const { outcome, exitCode, error } = result;
  if (outcome === "exited" && exitCode === 127)
    throw new UpdatesError(
      "tool_missing",
      tools.sandboxDirectory === undefined
        ? `${program} is not installed.`
        : `${program} is not installed, or the sandbox does not show it.`,
    );
  if (outcome === "exited" && exitCode !== undefined) return { exitCode, stdout, stderr };
  if (outcome !== "timed_out")
    throw new UpdatesError("tool_failed", `${program} did not end by itself: ${error ?? outcome}.`);
  const lines = lastLines(`${stdout}\n${stderr}`);
  throw new UpdatesError(
    "tool_failed",
    `${[program, ...argv.slice(1, 2)].join(" ")} took longer than ${timeout / 1000} s and was stopped${
      lines === "" ? "; it printed nothing" : `; its last lines: ${lines}`
    }.`,
  );
}

/** At most three lines, without credentials in addresses. */
const lastLines = (output: string): string =>
  output
    .split("\n")
    .map((line) => line.replace(/\p{Cc}/gu, " ").trim())
    .filter((line) => line !== "")
    .slice(-3)
    .map((line) => line.replace(/\/\/[^/@\s]+@/g, "//***@").slice(0, 200))
    .join(" | ");

/** The last line of output, for messages. */
export const lastErrorLine = ({ stdout, stderr }: ToolResult): string =>
  `${stdout}\n${stderr}`.trim().split("\n").at(-1)?.trim() ?? "";
