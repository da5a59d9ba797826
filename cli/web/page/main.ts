/** The page: shows what the stream sends. What the user has chosen is in the address; nothing else has state. */
import {
  actionButtons,
  actOnKey,
  copyButton,
  look,
  openMenu,
  result,
  sessionHeaders,
} from "./actions.js";
import { go, query, screenHere } from "./address.js";
import { h, line, panel, spans } from "./dom.js";
import { list } from "./list.js";
import { card, chart, strip } from "./panels.js";
import type { PageData } from "./wire.js";

const find = h("input", {
  ...{ type: "search", placeholder: "Filter", "aria-label": "Filter rows" },
  input: () => go({ filter: (find as HTMLInputElement).value, open: undefined, page: undefined }),
}) as HTMLInputElement;
const state = h("span", { role: "status" });
const heading = h("h1");
const bar = h("nav", { "aria-label": "Screens" });
const tabs = h("div");
const grid = h("div", { class: "grid" });
const general = h("div");
const hold = h("button", { "aria-pressed": false, "data-key": "hold", click: pause }, "Pause");
const main = h(
  "main",
  {},
  h("header", {}, heading, tabs, general, find, hold, state),
  result,
  grid,
);

/** The newest view, while the user holds everything still. */
let held: PageData | undefined;
let isHeld = false;

function pause(): void {
  isHeld = !isHeld;
  hold.setAttribute("aria-pressed", String(isHeld));
  if (held) show(held);
  held = undefined;
}

/** Whether a button of the page is being pressed, and what came since. */
let isPressed = false;
let waiting: PageData | undefined;

/** A click is lost where what was pressed is replaced before it is released. */
function showOnRelease(): void {
  addEventListener("pointerdown", ({ button }) => {
    isPressed = button === 0;
  });
  addEventListener("keydown", ({ key }) => {
    if (key === " ") isPressed = true;
  });
  // A menu of the browser takes the release.
  for (const end of ["pointerup", "pointercancel", "keyup", "contextmenu", "blur"]) {
    addEventListener(end, () => {
      // The click comes after the release.
      setTimeout(() => {
        isPressed = false;
        if (waiting) show(waiting);
      });
    });
  }
}

function show(data: PageData): void {
  waiting = isPressed ? data : undefined;
  if (isPressed) return;
  const focused = document.activeElement?.getAttribute("data-key");
  const opened = new Set(
    [...grid.querySelectorAll("details[open]")].map((each) => each.getAttribute("data-key")),
  );
  const title = data.screens.find(({ id }) => id === data.screen)?.title ?? "";
  document.title = `${title} – reeve`;
  heading.textContent = title;
  const links = data.screens.map(({ id, title: name, about }) => {
    const click = (event: Event) => {
      event.preventDefault();
      go({}, id);
    };
    const current = id === data.screen ? "page" : undefined;
    const attributes = { href: `/${id}`, title: about, "aria-current": current, click };
    return h("a", { ...attributes, "data-key": `screen-${id}` }, name);
  });
  bar.replaceChildren(h("b", {}, "reeve"), ...links);
  tabs.replaceChildren(
    ...data.tabs.map((name, at) => {
      const click = () =>
        go({ tab: String(at), open: undefined, sort: undefined, page: undefined });
      const attributes = { "aria-pressed": at === data.tab, "data-key": `tab-${at}`, click };
      return h("button", attributes, name);
    }),
  );
  if (document.activeElement !== find) find.value = query().get("filter") ?? "";
  look(data);
  general.replaceChildren(...actionButtons(data.actions));
  const close = h("button", { "data-key": "close", click: () => go({ open: undefined }) }, "Back");
  const detail =
    data.detail &&
    panel(
      "wide",
      data.detail.id,
      [...actionButtons(data.actions, data.detail.id), copyButton(data.detail.id), close],
      h("pre", {}, ...data.detail.lines.flatMap((each) => [...spans(each), "\n"])),
    );
  const strips = data.timeline.map(strip);
  const top = data.top.length > 0 ? panel("wide", title, [], ...data.top.map(line)) : undefined;
  const hour = strips.length > 0 ? panel("wide", "Last hour", [], ...strips) : undefined;
  const all = detail
    ? [detail]
    : [...data.cards.map(card), hour, ...data.charts.map(chart), top, list(data.table, openMenu)];
  grid.replaceChildren(...all.filter((each) => each !== undefined));
  for (const each of grid.querySelectorAll("details")) {
    each.open = opened.has(each.getAttribute("data-key"));
  }
  if (focused) {
    const again = document.querySelector(`[data-key="${CSS.escape(focused)}"]`);
    if (again instanceof HTMLElement) again.focus({ preventScroll: true });
  }
  say(data.lost === undefined ? "" : `daemon lost: ${data.lost}`);
}

/** What keeps the page from being live; nothing while it is. */
function say(problem: string): void {
  document.body.classList.toggle("lost", problem !== "");
  state.className = problem === "" ? "r-ok" : "r-warn";
  const text = problem === "" ? "● live" : `▲ ${problem}`;
  if (state.textContent !== text) state.textContent = text;
}

/** Ends for good where the server refuses; resolves where the connection is lost. */
async function stream(signal: AbortSignal, received: () => void): Promise<void> {
  const requested = query();
  requested.set("screen", screenHere());
  const headers = sessionHeaders();
  const response = await fetch(`/-/stream?${requested}`, { headers, signal });
  if (!response.ok || !response.body) throw new Refusal((await response.json()).detail);
  let rest = "";
  // What is opened while all stands still is shown nevertheless.
  let isFirst = true;
  for (const reader = response.body.pipeThrough(new TextDecoderStream()).getReader(); ; ) {
    const { value, done } = await reader.read();
    if (done) return;
    const messages = (rest + value).split("\n\n");
    rest = messages.pop() ?? "";
    received();
    const last = messages.findLast((message) => message.includes("data: "));
    // A text that is being selected stays until the next message.
    if (!last || document.getSelection()?.type === "Range") continue;
    const data: PageData = JSON.parse(last.slice(last.indexOf("data: ") + 6));
    if (isHeld && !isFirst) held = data;
    else show(data);
    isFirst = false;
  }
}

class Refusal extends Error {}

let current = new AbortController();

async function follow(): Promise<void> {
  current.abort();
  current = new AbortController();
  const { signal } = current;
  for (let wait = 500; !signal.aborted; wait = Math.min(wait * 2, 10_000)) {
    try {
      await stream(signal, () => {
        wait = 500;
      });
    } catch (thrown) {
      if (signal.aborted) return;
      if (thrown instanceof Refusal) return say(thrown.message);
    }
    if (signal.aborted) return;
    say("connection lost, trying again");
    await new Promise((resolve) => {
      setTimeout(resolve, wait * (0.7 + Math.random() * 0.6));
      addEventListener("online", resolve, { once: true });
    });
  }
}

async function start(): Promise<void> {
  document.body.replaceChildren(bar, main);
  const token = new URLSearchParams(location.hash.slice(1)).get("t");
  if (token !== null) {
    history.replaceState(null, "", location.pathname + location.search);
    const headers = { "Content-Type": "application/json" };
    const body = JSON.stringify({ token });
    const response = await fetch("/-/session", { method: "POST", headers, body });
    const answer = await response.json();
    if (!response.ok) return say(answer.detail);
    sessionStorage.setItem("key", answer.key);
  }
  showOnRelease();
  addEventListener("popstate", () => void follow());
  addEventListener("moved", () => void follow());
  addEventListener("keydown", (event) => {
    if (document.querySelector("dialog[open]")) return;
    if (event.target === find || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" && query().has("open")) go({ open: undefined });
    if (event.key === "v") go({ raw: query().has("raw") ? undefined : "1" });
    actOnKey(event);
    if (event.key !== "/") return;
    event.preventDefault();
    find.focus();
  });
  await follow();
}

void start();
