/** The actions of a screen for the page: the keys, proposals and effects that the terminal has, with the same questions. */
import { randomBytes } from "node:crypto";
import type { Control } from "../control/client.js";
import type { Effect, EffectResult, ScreenKey, Screens, View } from "../plugin-api/screen.js";
import { manyLines, oneLine } from "../print/text.js";
import { performEffect } from "../tui/effects.js";
import type { Model } from "../tui/model/model.js";
import { copyText } from "../tui/ui/copy.js";
import type { ActionAnswer, MenuEntry, PageAction } from "./page/wire.js";
import { type PageQuery, pageView } from "./page-data.js";

/** What the user looks at. */
export interface LookedAt {
  readonly model: Model;
  readonly query: PageQuery;
}

interface ActionsOptions {
  readonly control: Control;
  readonly screens: Screens;
  readonly readOnly: boolean;
}

const COPY: ScreenKey = { keys: ["y"], action: "copy", does: "copy it", hint: "copy" };
const GONE = "This question was answered or has changed. Choose the action again.";
const notice = (text: string): ActionAnswer => ({ kind: "notice", text, bad: true });

/** Of one view: a question is confirmed in the view that asked it. */
export class ViewActions {
  readonly #options: ActionsOptions;
  #pending:
    | { readonly confirmation: string; readonly screen: string; readonly effect: Effect }
    | undefined;

  constructor(options: ActionsOptions) {
    this.#options = options;
  }

  /** Without those that change something, where the page is read-only. */
  actions({ model, query }: LookedAt): readonly PageAction[] {
    const { screen, view } = pageView(model, this.#options.screens, query);
    return this.#keys(screen.keys).map((key) => ({
      ...named(key),
      isGeneral: typeof screen.propose?.(view, undefined, key.action) === "object",
    }));
  }

  /** The actions for one row. */
  menu(at: LookedAt, id: string): readonly MenuEntry[] {
    const { screen, view } = this.#chosen(at, id);
    const own = this.actions(at)
      .filter(({ isGeneral }) => !isGeneral)
      .map((action) => {
        const why = screen.propose?.(view, id, action.action) ?? "This does not apply here.";
        return typeof why === "string" ? { ...action, why: oneLine(why) } : action;
      });
    return [...own, { ...named(COPY), isGeneral: false }];
  }

  /** Asks the question of the action, or performs what needs none. */
  async choose(at: LookedAt, action: string, id: string | undefined): Promise<ActionAnswer> {
    this.#pending = undefined;
    const { screen, view } = this.#chosen(at, id);
    if (action === COPY.action && id !== undefined) {
      return { kind: "copy", text: manyLines(copyText(screen, view, id)) };
    }
    if (!this.#keys(screen.keys).some((key) => key.action === action)) {
      return notice(
        this.#options.readOnly ? "The page is read-only." : "This screen has no such action.",
      );
    }
    const proposal = screen.propose?.(view, id, action);
    if (proposal === undefined) {
      return notice(id === undefined ? "Choose a row first." : "This does not apply here.");
    }
    if (typeof proposal === "string") return notice(oneLine(proposal));
    const { question, effect } = proposal;
    if (question === undefined) return this.#perform(screen.id, effect);
    const confirmation = this.#ask(screen.id, effect);
    return { kind: "question", question: oneLine(question), confirmation };
  }

  /** Performs what was asked about. A question is answered once. */
  async confirm(confirmation: string): Promise<ActionAnswer> {
    const pending = this.#pending;
    if (pending?.confirmation !== confirmation) return notice(GONE);
    this.#pending = undefined;
    return this.#perform(pending.screen, pending.effect);
  }

  #chosen({ model, query }: LookedAt, id: string | undefined) {
    const { screen, view } = pageView(model, this.#options.screens, query);
    if (id === undefined) return { screen, view };
    const list = screen.list(view);
    const state = { ...view.state, selected: id, index: Math.max(0, list.indexOf(id)) };
    const chosen: View = { ...view, state };
    return { screen, view: chosen };
  }

  #keys(keys: readonly ScreenKey[] = []): readonly ScreenKey[] {
    return keys.filter(({ changes }) => !(this.#options.readOnly && changes));
  }

  #ask(screen: string, effect: Effect): string {
    const confirmation = randomBytes(16).toString("base64url");
    this.#pending = { confirmation, screen, effect };
    return confirmation;
  }

  async #perform(id: string, effect: Effect): Promise<ActionAnswer> {
    const { control, screens } = this.#options;
    const screen = screens.find((each) => each.id === id);
    if (screen === undefined) return notice(GONE);
    switch (effect.kind) {
      case "copy":
        return { kind: "copy", text: manyLines(effect.text) };
      case "edit":
        return notice("This opens an editor: use `reeve top`.");
      case "quit":
      case "theme":
      case "more":
        return notice("This is for a terminal: use `reeve top`.");
      default:
        return this.#answer(
          id,
          await performEffect(control, screen, effect, () =>
            Promise.reject(new Error("there is no terminal")),
          ),
        );
    }
  }

  #answer(screen: string, result: EffectResult): ActionAnswer {
    const { kind, text } = result;
    if (kind === "notice") return { kind, text: oneLine(text), bad: result.bad };
    const { title, offer } = result;
    return {
      ...{ kind, title: oneLine(title), text: manyLines(text) },
      ...(offer && {
        question: oneLine(offer.question),
        confirmation: this.#ask(screen, offer.effect),
      }),
    };
  }
}

const named = ({ action, does, hint, keys: [key] }: ScreenKey) => ({
  ...{ action, does, key },
  name: hint ?? action,
});
