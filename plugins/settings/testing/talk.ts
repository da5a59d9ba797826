/** A session with a test at both of its ends. */
import { frameOf, RpcFrameReader } from "../proxy/frames.js";
import type { Preference, SettingsPush } from "../proxy/layers.js";
import { Session } from "../proxy/session.js";
import { zls } from "../servers/zls/zls.js";

// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a message.
export type SentMessage = any;

export interface Talk {
  readonly session: Session;
  editor(message: unknown): void;
  server(message: unknown): void;
  /** What has reached the one side since it was asked last. */
  atServer(): readonly SentMessage[];
  atEditor(): readonly SentMessage[];
  /** Runs what waits for a time. */
  passTime(): void;
}

export function talk(preference: Preference = "editor"): Talk {
  const readers = { editor: new RpcFrameReader(), server: new RpcFrameReader() };
  const reached = { editor: [] as unknown[], server: [] as unknown[] };
  const collect = (side: "editor" | "server") => (bytes: Buffer) => {
    for (const { body } of readers[side].push(bytes)) reached[side].push(JSON.parse(`${body}`));
  };
  const timers: Array<() => void> = [];
  const session = new Session(
    {
      toEditor: collect("editor"),
      toServer: collect("server"),
      later: (what) => void timers.push(what),
    },
    preference,
  );
  const frame = (message: unknown) => {
    const [only] = [...new RpcFrameReader().push(frameOf(message))];
    return only as { bytes: Buffer; body: Buffer };
  };
  return {
    session,
    editor: (message) => session.fromEditor(frame(message)),
    server: (message) => session.fromServer(frame(message)),
    atServer: () => reached.server.splice(0),
    atEditor: () => reached.editor.splice(0),
    passTime: () => {
      for (const what of timers.splice(0)) what();
    },
  };
}

export const delivery = (
  values: Record<string, unknown>,
  override: Record<string, unknown> = {},
): SettingsPush => ({
  name: "zls",
  version: 1,
  server: zls,
  layers: [
    { origin: "file", path: "/zls.json", values },
    { origin: "override", values: override },
  ],
});

export const request = (id: number | string, method: string, params: unknown = {}) => ({
  jsonrpc: "2.0",
  id,
  method,
  params,
});
export const notice = (method: string, params: unknown = {}) => ({
  jsonrpc: "2.0",
  method,
  params,
});
export const reply = (id: number | string, result: unknown) => ({ jsonrpc: "2.0", id, result });

/** An editor that has started the server. */
export function started(
  capabilities: unknown = {},
  values: Record<string, unknown> = { warn_style: true },
  initializationOptions: unknown = undefined,
  preference?: Preference,
): Talk {
  const at = talk(preference);
  at.session.deliver(delivery(values));
  at.editor(request(1, "initialize", { capabilities, initializationOptions }));
  at.server(reply(1, { capabilities: {} }));
  at.editor(notice("initialized"));
  return at;
}

export const pushes = (messages: readonly SentMessage[]): readonly SentMessage[] =>
  messages
    .filter(({ method }) => method === "workspace/didChangeConfiguration")
    .map(({ params }) => params.settings.zls);
