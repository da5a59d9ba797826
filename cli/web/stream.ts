/** One view as server-sent events: the whole view whenever it has changed, so a lost connection loses nothing. */
import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { Control } from "../control/client.js";
import type { Screens } from "../plugin-api/screen.js";
import { type Focus, ModelSource, pause } from "../tui/model/source.js";
import { screenOf } from "../tui/screens/all.js";
import { type LookedAt, ViewActions } from "./actions.js";
import { needsOlder, type PageQuery, pageData } from "./page-data.js";

interface PageStreamOptions {
  readonly control: Control;
  readonly screens: Screens;
  /** Without actions that change something. */
  readonly readOnly: boolean;
  readonly interval: number;
  readonly query: PageQuery;
  /** The browser has gone, or its session is over. */
  readonly until: AbortSignal;
}

/** A stream while it is open. */
export interface OpenView {
  readonly actions: ViewActions;
  lookedAt(): LookedAt;
  /** Asks the daemon now instead of at the next interval. */
  look(): Promise<void>;
}

/** The open streams of a session, by the names that the page sends. */
export type OpenViews = Map<string, OpenView>;

/** Milliseconds between two messages at least, and between two signs of life at most. */
const GAP = 150;
const PING = 15_000;

export async function streamPage(
  response: ServerResponse,
  views: OpenViews,
  options: PageStreamOptions,
): Promise<void> {
  const { control, screens, interval, query, until } = options;
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
  const source = new ModelSource(control, screens);
  const over = new AbortController();
  const signal = AbortSignal.any([until, over.signal]);
  const actions = new ViewActions(options);
  const name = randomUUID();
  const lookedAt = (): LookedAt => ({ model: source.model, query });
  let last = "";
  let sequence = 0;
  let changed = true;
  let woken = new AbortController();
  let said = performance.now();
  const write = (text: string) => {
    said = performance.now();
    if (!response.destroyed) response.write(text);
  };
  const show = () => {
    changed = false;
    source.refresh();
    const own = { view: name, actions: actions.actions(lookedAt()) };
    const data = JSON.stringify({ ...own, ...pageData(source.model, screens, query) });
    if (data === last) return;
    last = data;
    sequence += 1;
    write(`id: ${sequence}\ndata: ${data}\n\n`);
  };
  const focus = (): Focus => focusOf(screens, query, source);
  const mark = () => {
    changed = true;
    woken.abort();
  };
  const following = source.follow(signal, mark, mark);
  const showing = async () => {
    while (!signal.aborted) {
      // A reader that is too slow gets the next state instead of all between.
      if (changed && !response.writableNeedDrain) show();
      else if (performance.now() - said >= PING) write(": ping\n\n");
      await pause(GAP, signal);
      woken = new AbortController();
      if (!changed) await pause(PING, AbortSignal.any([signal, woken.signal]));
    }
  };
  const polling = async () => {
    while (!signal.aborted) {
      await look();
      await pause(interval, signal);
    }
  };
  const look = async () => {
    await source.ask(focus());
    if (needsOlder(source.model, screens, query)) await source.askOlder();
    mark();
  };
  await look();
  views.set(name, { actions, lookedAt, look });
  const all = [following, showing(), polling()];
  try {
    await Promise.race(all);
  } finally {
    views.delete(name);
    over.abort();
    await Promise.allSettled(all);
  }
}

function focusOf(screens: Screens, { screen: id, state }: PageQuery, source: ModelSource): Focus {
  const { opensRuns, id: screen } = screenOf(screens, id);
  const generation = state.open ?? source.model.generations[0]?.number;
  return {
    pending: screen === "config",
    screens: [screen],
    logs: screen === "logs",
    ...(generation !== undefined && screen === "config" && { generation: Number(generation) }),
    ...(state.open !== undefined && opensRuns && { run: state.open }),
  };
}
