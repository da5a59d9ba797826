/** Starts a command in a sandbox: its namespace, its proxy and its view of the machine. Every run starts here. */
import { getServers } from "node:dns";
import type { Attribution } from "../engine/attribution.js";
import { commitChanges } from "../engine/changes.js";
import { DeniedPathWatch, emptyDirectory, filesAt } from "../engine/denied-paths.js";
import { hasUpper } from "../engine/home/overlay.js";
import { mountSteps } from "../engine/mounts.js";
import type { NamespaceSockets } from "../engine/namespace.js";
import { nearestDirectories } from "../engine/repositories.js";
import { type Sandbox, type SandboxCommand, withoutOverlay } from "../engine/sandbox.js";
import { SocketWatch, type WatchedSandbox } from "../engine/socket-watch.js";
import type { RunCommit } from "../engine/unfinished-runs.js";
import type { AccessRecord } from "../log/entry.js";
import type { RequestDestination } from "../policy/destination.js";
import type { Policy } from "../policy/policy.js";
import { CredentialInjector } from "../proxy/credentials.js";
import type { Dialler } from "../proxy/dial.js";
import type { Questions } from "../proxy/questions.js";
import { RequestLimiter } from "../proxy/request-limiter.js";
import { serveProxy } from "../proxy/serve.js";
import { createCredential, secretScanner, withPlaceholders } from "./credentials.js";
import { hostAccess } from "./dialler.js";
import type { SandboxSpec } from "./spec.js";
import type { Trust } from "./trust.js";
import { type CommandRequest, sandboxCommand } from "./view.js";

/** A network whose only way out is the proxy, ready for one command. */
export interface PreparedSandbox {
  /** Accept the connections from inside. */
  readonly sockets: NamespaceSockets;
  readonly attribution: Attribution;
  /** Hides files that appear; absent: only the start hides some. */
  readonly hiding?: {
    /** Covers a path inside with an empty file or directory. */
    readonly mask: (path: string, empty: string) => void;
    readonly withoutOwn: WatchedSandbox["withoutOwn"];
  };
  /** Once. @throws {FirewallError} if the command cannot be started */
  start(command: SandboxCommand): Promise<Sandbox>;
}

/** Makes the network and starts the command; disposing of it ends both, at any point. */
export interface SandboxEngine extends AsyncDisposable {
  /** @see CommandRequest.nests */
  readonly nests: boolean;
  /** @throws {FirewallError} if this system lacks something, or if `signal` aborts */
  prepare(workDirectory: string, signal: AbortSignal): Promise<PreparedSandbox>;
}

export interface LaunchRequest
  extends Omit<CommandRequest, "spec" | "trust" | "environment" | "nests"> {
  readonly dialler: Dialler;
  /** The command's variables, given those that make programs trust the run's certificate authority. */
  readonly environment: (trusted: Readonly<Record<string, string>>) => Record<string, string>;
  /** The values of the spec's credentials, by name. */
  readonly values?: ReadonlyMap<string, string>;
  /** Counts for several commands; absent: this command has counters of its own. */
  readonly limiter?: RequestLimiter | undefined;
  /** Variables of the command whose values are secrets. */
  readonly secretVariables?: readonly string[];
  /** Aborts when the run is to end. */
  readonly signal: AbortSignal;
}

export interface LaunchSinks {
  /** Called for every connection, so that a changed policy applies at once. */
  readonly policy: () => Policy;
  readonly record: (record: AccessRecord) => void;
  /** Present if a user is asked about domains that no list has. */
  readonly questions?: Questions;
  /** Called when the proxy serves and the command is about to start. */
  readonly prepared: () => void;
  /** Called right before the start, with the directories and files that the command can write. */
  readonly starting?: (writable: readonly string[]) => void;
}

export interface LaunchCommit extends RunCommit {
  /** Why the home directory was read-only, although it should not have been. */
  readonly withoutOverlay: string | undefined;
}

export interface LaunchedSandbox {
  readonly sandbox: Sandbox;
  /** @see SocketWatch.hiddenPipes */
  hiddenPipes(): readonly string[];
  /** Closes the proxy, which completes its records. */
  close(): Promise<void>;
  /** Takes over the command's changes, once every process has ended. */
  commit(): Promise<LaunchCommit>;
}

/** @throws {FirewallError} if the command cannot be started; the engine is then the caller's to dispose of */
export async function launch(
  spec: SandboxSpec,
  request: LaunchRequest,
  engine: SandboxEngine,
  { policy, record, questions, prepared, starting }: LaunchSinks,
): Promise<LaunchedSandbox> {
  const { workDirectory, dialler, signal } = request;
  const credentials = spec.credentials.map((each) => {
    return { spec: each, credential: createCredential(each, request.values?.get(each.name) ?? "") };
  });
  const injector = new CredentialInjector(credentials.map(({ credential }) => credential));
  const decrypts = (host: string, port: number) =>
    injector.covers({ protocol: "https", host, port }) ||
    (spec.intercept && !spec.noBump.findName(host));
  const isDecrypted = ({ protocol }: RequestDestination) => protocol === "https";
  const intercepts =
    spec.intercept || spec.credentials.some((each) => each.destinations.some(isDecrypted));
  const [{ sockets, attribution, hiding, start }, trust] = await Promise.all([
    engine.prepare(workDirectory, signal),
    intercepts ? createTrust(workDirectory) : undefined,
  ]);
  const visible = request.environment(trust?.environment ?? {});
  const environment = withPlaceholders(visible, credentials);
  const secrets = spec.denySecrets
    ? secretScanner(environment, request.secretVariables ?? [], credentials)
    : undefined;
  const { servers, chosen } = spec.dns;
  const proxy = serveProxy(
    sockets,
    {
      policy: questions ? () => questions.extend(policy()) : policy,
      dialler,
      record,
      requester: (port, transport) => attribution.ownerOf(port, transport),
      ...hostAccess(spec),
      ...(trust && { interception: { ...trust.interception, decrypts } }),
      ...(credentials.length > 0 && { credentials: injector }),
      ...(spec.limits.length > 0 && {
        limiter: request.limiter ?? new RequestLimiter(spec.limits),
      }),
      ...(secrets && { secrets }),
      ...(questions && { questions }),
    },
    { servers, fallBack: chosen ? [] : getServers() },
  );
  let watch: SocketWatch | undefined;
  const watches = new DisposableStack();
  const close = () => {
    watches.dispose();
    questions?.[Symbol.dispose]();
    return proxy.close();
  };
  try {
    prepared();
    const command = await sandboxCommand({
      ...{ ...request, spec, environment, trust },
      nests: engine.nests,
    });
    const denied = filesAt(spec.denyRead);
    starting?.(writableFor(command));
    const sandbox = await start(command);
    if (hiding) {
      watch = watches.use(watchSockets(command, hiding, spec));
      const sources = {
        file: command.view.emptyFile,
        directory: emptyDirectory(workDirectory),
      };
      watches.use(new DeniedPathWatch(spec.denyRead, denied, sources, hiding.mask));
    }
    return {
      sandbox,
      hiddenPipes: () => watch?.hiddenPipes ?? [],
      close,
      commit: async () => {
        const commit = await (request.unfinished?.commit() ?? commitChanges(command.changes));
        return { ...commit, withoutOverlay: withoutOverlay(command) };
      },
    };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

function writableFor({ changes }: SandboxCommand): string[] {
  const homes = changes.homes.filter(hasUpper);
  return [...changes.repositories.roots, ...homes.map(({ home }) => home)];
}

function watchSockets(
  { view, sockets }: SandboxCommand,
  { mask, withoutOwn }: NonNullable<PreparedSandbox["hiding"]>,
  { allowSockets }: SandboxSpec,
): SocketWatch {
  const binds = mountSteps(view).flatMap((step) => (step.kind === "bind" ? step.from : []));
  const sandbox = {
    visible: [...new Set(binds)],
    directories: () => nearestDirectories(sockets.roots),
    allowed: allowSockets,
    withoutOwn,
    mask: (path: string) => mask(path, view.emptyFile),
  };
  return new SocketWatch(sandbox, sockets);
}

async function createTrust(workDirectory: string): Promise<Trust> {
  // The certificate library takes long to load.
  const { makeTrust } = await import("./trust.js");
  return makeTrust(workDirectory, process.env.JAVA_HOME);
}
