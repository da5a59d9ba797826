/** The daemon as its clients see it: one method for everything that can be asked of it. */
import type { IncomingMessage } from "node:http";
import type {
  BackupRequest,
  BackupResult,
  EventLine,
  EventQuery,
  GenerationDetail,
  GenerationList,
  GenerationQuery,
  HostedRun,
  LogList,
  LogQuery,
  PanelList,
  PlanResult,
  PluginList,
  PluginStatus,
  Readiness,
  ReloadResult,
  RollbackRequest,
  RunList,
  RunQuery,
  SourceRequest,
  SourceStatus,
  Status,
} from "../../daemon/http/control/api.js";
import { Exit, Failure } from "../plugin-api/exit.js";
import { jsonLines } from "./lines.js";
import { ControlError, isProblem } from "./problem.js";
import { socketPaths } from "./sockets.js";
import { Transport } from "./transport.js";

/** Milliseconds. An attempt to change what runs waits for every plugin, each with a deadline of its own; a backup may have many gigabytes. */
const DEADLINE = { ask: 10_000, attempt: 180_000, backup: 6 * 3_600_000 } as const;

export interface ControlOptions {
  /** The socket's path, if it was named. Otherwise REEVE_CONTROL and the usual places. */
  readonly control?: string | undefined;
  /** @default that of this process */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Milliseconds to wait for any answer. @default 10 s, 3 min for what changes the configuration */
  readonly deadline?: number;
}

/** Connects when something is asked. Every method rejects with `Failure`, or `Refusal` where the daemon says no. */
export function connect(options: ControlOptions = {}): Control {
  const { control, environment = process.env, deadline } = options;
  const sockets = socketPaths({ control, environment, uid: process.getuid?.() });
  return new Control(new Transport(sockets), deadline);
}

type Query = Readonly<Record<string, string | number | undefined>>;

interface OpenOptions {
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

export class Control {
  readonly #transport: Transport;
  readonly #deadline: number | undefined;
  readonly #base: string;

  /** @see connect */
  constructor(transport: Transport, deadline?: number, base = "") {
    this.#transport = transport;
    this.#deadline = deadline;
    this.#base = base;
  }

  /** The same daemon, with `get`, `find`, `post` and `open` below `/v1/<plugin>`. */
  forPlugin(id: string): Control {
    return new Control(this.#transport, this.#deadline, `/v1/${encodeURIComponent(id)}`);
  }

  /** Path of the socket that is, or would be, asked. */
  get socket(): string {
    return this.#transport.socket;
  }

  status(): Promise<Status> {
    return this.#get("/v1/status");
  }
  plugins(): Promise<PluginList> {
    return this.#get("/v1/plugins");
  }
  restart(plugin: string): Promise<PluginStatus> {
    return this.#post(`/v1/plugins/${encodeURIComponent(plugin)}/restart`);
  }
  release(plugin: string): Promise<PluginStatus> {
    return this.#post(`/v1/plugins/${encodeURIComponent(plugin)}/release`);
  }
  generations(query: GenerationQuery = {}): Promise<GenerationList> {
    return this.#get("/v1/generations", { ...query });
  }
  generation(number: number): Promise<GenerationDetail> {
    return this.#get(`/v1/generations/${number}`);
  }
  runs(query: RunQuery = {}): Promise<RunList> {
    return this.#get("/v1/runs", { ...query });
  }
  run(id: string): Promise<HostedRun> {
    return this.#get(`/v1/runs/${encodeURIComponent(id)}`);
  }
  logs(query: LogQuery = {}): Promise<LogList> {
    return this.#get("/v1/logs", { ...query });
  }
  panels(): Promise<PanelList> {
    return this.#get("/v1/panels");
  }
  /** What a reload would change. Rejects with a `Refusal` where the configuration is invalid. */
  plan(): Promise<PlanResult> {
    return this.#post("/v1/plan");
  }
  reload(): Promise<ReloadResult> {
    return this.#post("/v1/reload");
  }
  rollback(generation: number): Promise<ReloadResult> {
    const body: RollbackRequest = { generation };
    return this.#post("/v1/rollback", body);
  }
  /** Rejects with a `Refusal` where the copy cannot be made. */
  backup(to: string | undefined): Promise<BackupResult> {
    const body: BackupRequest = to === undefined ? {} : { to };
    return this.#post("/v1/backup", body, DEADLINE.backup);
  }
  /** Rejects with a `Refusal` where no repository is followed. */
  source(): Promise<SourceStatus> {
    return this.#get("/v1/source");
  }
  /** Resolves when the repository has answered, and its newest commit is applied or refused. */
  actOnSource(request: SourceRequest): Promise<SourceStatus> {
    return this.#post("/v1/source", request);
  }
  /** Answers also while the daemon is not ready. */
  async readiness(): Promise<Readiness> {
    const path = "/readyz";
    const { status, text } = await this.#transport.ask({
      method: "GET",
      path,
      deadline: this.#deadline ?? DEADLINE.ask,
    });
    return parsed(status === 503 ? 200 : status, text, this.socket) as Readiness;
  }

  /** Lines as they come, until the daemon or `signal` ends it. `watch` goes on after that. */
  async *events(query: EventQuery, signal?: AbortSignal): AsyncGenerator<EventLine> {
    const path = `/v1/events${queryText({ ...query })}`;
    const response = await this.#open("GET", path, { signal });
    try {
      yield* jsonLines(response) as AsyncGenerator<EventLine>;
    } finally {
      response.destroy();
    }
  }

  /** A route of a plugin. @see forPlugin */
  get<Body>(path: string, query: Query = {}): Promise<Body> {
    return this.#get(`${this.#base}${path}`, query);
  }
  post<Body>(path: string, body?: unknown): Promise<Body> {
    return this.#post(`${this.#base}${path}`, body);
  }
  /** As `get`; `undefined` for a 404: a plugin serves its routes only while a block asks for it. */
  async find<Body>(path: string, query: Query = {}): Promise<Body | undefined> {
    try {
      return await this.get<Body>(path, query);
    } catch (thrown) {
      if (thrown instanceof ControlError && thrown.problem.status === 404) return undefined;
      throw thrown;
    }
  }

  /** A long response as it arrives; read or destroy it. */
  open(method: "GET" | "POST", path: string, options: OpenOptions = {}): Promise<IncomingMessage> {
    return this.#open(method, `${this.#base}${path}`, options);
  }

  async #open(
    method: "GET" | "POST",
    path: string,
    { body, signal }: OpenOptions,
  ): Promise<IncomingMessage> {
    const deadline = this.#deadline ?? DEADLINE.ask;
    const response = await this.#transport.open({ method, path, body, deadline, signal });
    if (response.statusCode === 200) return response;
    const chunks = await Array.fromAsync(response as AsyncIterable<Buffer>);
    parsed(response.statusCode ?? 0, Buffer.concat(chunks).toString("utf8"), this.socket);
    throw new Failure(Exit.unavailable, `the daemon gave an answer without a stream to ${path}`);
  }

  async #get<Body>(path: string, query: Query = {}): Promise<Body> {
    const { status, text } = await this.#transport.ask({
      method: "GET",
      path: `${path}${queryText(query)}`,
      deadline: this.#deadline ?? DEADLINE.ask,
    });
    return parsed(status, text, this.socket) as Body;
  }

  async #post<Body>(
    path: string,
    body?: unknown,
    deadline: number = DEADLINE.attempt,
  ): Promise<Body> {
    const { status, text } = await this.#transport.ask({
      method: "POST",
      path,
      body,
      deadline: this.#deadline ?? deadline,
    });
    return parsed(status, text, this.socket) as Body;
  }
}

function queryText(query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text === "" ? "" : `?${text}`;
}

function parsed(status: number, text: string, socket: string): unknown {
  const value = jsonOf(text);
  if (isProblem(value) && status >= 400) throw new ControlError(value);
  if (status >= 200 && status < 300 && value !== undefined) return value;
  throw new Failure(
    Exit.unavailable,
    `what listens at ${socket} gave an answer that is not Reeve's (HTTP ${status})`,
    { help: "Name the daemon's control socket with `--control PATH`." },
  );
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
