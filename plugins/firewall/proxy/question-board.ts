/** The open questions of all commands, for the control API, the dashboard and the terminal. */
import { randomBytes } from "node:crypto";
import { FirewallError } from "../errors.js";
import { answers, type DomainQuestion, type QuestionAnswer, Questions } from "./questions.js";

export interface QuestionSummary {
  readonly id: string;
  readonly sandbox: string;
  readonly domain: string;
  readonly protocol: string;
  readonly program: string | null;
  readonly pid: number | null;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

interface OpenQuestion {
  readonly sandbox: string;
  readonly question: DomainQuestion;
}

export interface QuestionEvents {
  emit(type: "sandbox.asked" | "sandbox.answered", data: Record<string, string | number>): void;
}

export class QuestionBoard {
  readonly #events: QuestionEvents;
  readonly #open = new Map<string, OpenQuestion>();

  constructor(events: QuestionEvents) {
    this.#events = events;
  }

  /** Oldest first. */
  get open(): readonly QuestionSummary[] {
    return [...this.#open].map(([id, { sandbox, question }]) => {
      const { domain, protocol, program = null, pid = null, since } = question;
      return { id, sandbox, domain, protocol, program, pid, since };
    });
  }

  /** The questions of one command of a sandbox. */
  questionsFor(sandbox: string): Questions {
    const ids = new Map<DomainQuestion, string>();
    return new Questions({
      opened: (question) => {
        const id = randomBytes(4).toString("hex");
        ids.set(question, id);
        this.#open.set(id, { sandbox, question });
        const { domain, protocol, program, pid } = question;
        const by = { ...(program !== undefined && { program }), ...(pid !== undefined && { pid }) };
        this.#events.emit("sandbox.asked", { sandbox, question: id, domain, protocol, ...by });
      },
      closed: (question, result) => {
        const id = ids.get(question) ?? "";
        ids.delete(question);
        this.#open.delete(id);
        const { domain } = question;
        this.#events.emit("sandbox.answered", { sandbox, question: id, domain, answer: result });
      },
    });
  }

  /** @throws {FirewallError} `unknown_question`, `invalid_answer`, `invalid_domain` */
  answer(id: string, written: unknown): void {
    const answer = answers.find((known) => known === written);
    if (answer === undefined) {
      throw new FirewallError("invalid_answer", `An answer is one of ${answers.join(", ")}.`);
    }
    const found = this.#open.get(id);
    if (!found) {
      throw new FirewallError(
        "unknown_question",
        "There is no such question. It may have been answered or have expired.",
      );
    }
    found.question.answer(answer satisfies QuestionAnswer);
  }
}
