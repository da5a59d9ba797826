/** What a user can do: buttons, the menu of a row, keys, questions and results. The server decides; the page asks and shows. */
import { h } from "./dom.js";
import type { ActionAnswer, MenuEntry, PageAction, PageData } from "./wire.js";

/** The view that is shown. */
let seen: Pick<PageData, "view" | "actions" | "detail"> | undefined;
/** The first answer after a question replaces it. */
let open: HTMLDialogElement | undefined;

/** What the next action is about. */
export function look(data: PageData): void {
  seen = data;
}

export const sessionHeaders = (): Record<string, string> => ({
  "X-Reeve-Session": sessionStorage.getItem("key") ?? "",
});

/** The result of the last action. */
export const result = h("p", { role: "status", class: "result" });

function say(text: string, bad: boolean): void {
  result.className = bad ? "result r-fail" : "result r-ok";
  result.textContent = text;
}

/** `undefined`: it was refused or did not arrive, and that has been said. */
async function send<Answer>(path: string, body: object): Promise<Answer | undefined> {
  const headers = { "Content-Type": "application/json", ...sessionHeaders() };
  const sent = JSON.stringify({ view: seen?.view, ...body });
  try {
    const response = await fetch(path, { method: "POST", headers, body: sent });
    const answer = await response.json();
    if (response.ok) return answer;
    say(answer.detail, true);
    return undefined;
  } catch {
    say("The connection was lost: it is unknown whether this was done.", true);
    return undefined;
  }
}

async function act(action: string, id?: string): Promise<void> {
  say("asking the daemon", false);
  show(await send<ActionAnswer>("/-/action", { action, ...(id !== undefined && { id }) }));
}

async function confirm(confirmation: string): Promise<void> {
  say("asking the daemon", false);
  show(await send<ActionAnswer>("/-/confirm", { confirmation }));
}

function show(answer: ActionAnswer | undefined): void {
  switch (answer?.kind) {
    case "notice":
      say(answer.text, answer.bad);
      break;
    case "question":
      say("", false);
      dialog(answer.question, [], answer.confirmation);
      break;
    case "page": {
      say("", false);
      const text = h("pre", { tabindex: 0 }, answer.text);
      const question = answer.question === undefined ? [] : [h("p", {}, answer.question)];
      dialog(answer.title, [text, ...question], answer.confirmation);
      break;
    }
    case "copy":
      void copy(answer.text);
  }
}

async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    const lines = text.split("\n").length;
    say(`Copied ${lines} ${lines === 1 ? "line" : "lines"} to the clipboard.`, false);
  } catch {
    say("", false);
    dialog("The browser does not let the page copy", [h("pre", { tabindex: 0 }, text)]);
  }
}

/** With a confirmation it is a question, otherwise something to read. Esc closes it. */
function dialog(title: string, content: readonly Element[], confirmation?: string): void {
  open?.remove();
  const heading = h("h2", { id: "question" }, title);
  const element = h("dialog", { "aria-labelledby": "question" }, heading, ...content);
  if (!(element instanceof HTMLDialogElement)) return;
  const before = document.activeElement?.getAttribute("data-key");
  open = element;
  element.addEventListener("close", () => {
    element.remove();
    refocus(before);
  });
  const answers =
    confirmation === undefined
      ? [button("Close", () => element.close())]
      : [
          button("No", () => {
            element.close();
            say("Nothing was done.", false);
          }),
          button("Yes", () => {
            element.close();
            void confirm(confirmation);
          }),
        ];
  element.append(h("div", { class: "answers" }, ...answers));
  document.body.append(element);
  element.showModal();
  answers[0]?.focus();
}

function button(name: string, click: () => void): HTMLButtonElement {
  return h("button", { click }, name) as HTMLButtonElement;
}

function refocus(key: string | null | undefined): void {
  const again = key && document.querySelector(`[data-key="${CSS.escape(key)}"]`);
  if (again instanceof HTMLElement) again.focus({ preventScroll: true });
}

/** The actions for a row; those that cannot be done say why. */
export function openMenu(id: string): void {
  say("", false);
  void send<readonly MenuEntry[]>("/-/menu", { id }).then((entries) => showMenu(id, entries));
}

function showMenu(id: string, entries: readonly MenuEntry[] | undefined): void {
  if (entries === undefined) return;
  dialog(
    `Actions for ${id}`,
    entries.map(({ action, does, key, why }) => {
      const choose = () => {
        open?.close();
        void act(action, id);
      };
      const text = why === undefined ? `${does} (${key})` : `${does}: ${why}`;
      return h("button", { class: "entry", click: choose, disabled: why !== undefined }, text);
    }),
  );
}

/** For the whole screen, or for what is open. */
export function actionButtons(actions: readonly PageAction[], id?: string): readonly Element[] {
  return actions
    .filter(({ isGeneral }) => isGeneral === (id === undefined))
    .map(({ action, name, does, key }) => {
      const click = () => void act(action, id);
      return h(
        "button",
        { title: `${does} (${key})`, "data-key": `action-${action}`, click },
        name,
      );
    });
}

export const copyButton = (id: string): Element =>
  h("button", { "data-key": "action-copy", click: () => void act("copy", id) }, "copy");

/** The keys are those of the terminal; they are about the focused row, or about what is open. */
export function actOnKey(event: KeyboardEvent): void {
  if (seen === undefined) return;
  const focused = document.activeElement?.closest("[data-row]")?.getAttribute("data-row");
  const id = seen.detail?.id ?? focused ?? undefined;
  const action = seen.actions.find(({ key }) => key === event.key);
  if (action) void act(action.action, action.isGeneral ? undefined : id);
  else if (event.key === "y" && id !== undefined) void act("copy", id);
}
