/** `awf --ask`: shows the questions of a run, and takes answers from the user's terminal or another one. */
import { FirewallError } from "../errors.js";
import { parseDomainPattern } from "../policy/pattern.js";
import { QuestionBoard, type QuestionSummary } from "../proxy/question-board.js";
import type { Questions } from "../proxy/questions.js";
import { allowanceOf } from "./allowance.js";
import type { Messages } from "./messages.js";
import { type QuestionReply, type QuestionRequest, serveQuestions } from "./question-socket.js";
import type { AwfSettings, SandboxFiles } from "./settings.js";
import { UserTerminal } from "./user-terminal.js";

/** The keys of the dashboard. */
const keys: ReadonlyMap<string, string> = new Map([
  ["o", "once"],
  ["i", "run"],
  ["a", "allow"],
  ["d", "deny"],
]);

interface RunQuestionsOptions {
  readonly messages: Messages;
  /** The command does not read the user's terminal. */
  readonly ownsTerminal: boolean;
  /** For the socket; absent: no other terminal can answer. */
  readonly directory: string | undefined;
  /** Writes an entry to the file that the run's list comes from; absent: there is none. */
  readonly allow: ((domain: string) => Promise<string>) | undefined;
}

/** @param written called with each file that an answer has changed */
export async function openQuestions(
  settings: AwfSettings,
  { files, ...options }: Omit<RunQuestionsOptions, "allow"> & { readonly files: SandboxFiles },
  written: (path: string) => void,
): Promise<RunQuestions> {
  const allow = allowanceOf(settings, files, written);
  const questions = new RunQuestions({ ...options, allow });
  await questions.open();
  return questions;
}

class RunQuestions implements AsyncDisposable {
  readonly questions: Questions;
  readonly #options: RunQuestionsOptions;
  readonly #board: QuestionBoard;
  readonly #terminal = new UserTerminal();
  #server: AsyncDisposable | undefined;
  /** The question that the user sees. */
  #shown: QuestionSummary | undefined;

  constructor(options: RunQuestionsOptions) {
    this.#options = options;
    this.#board = new QuestionBoard({
      // The board has changed when its events are out.
      emit: (type, data) => {
        if (type === "sandbox.answered") this.#ended(String(data.domain), String(data.answer));
        queueMicrotask(() => this.#show());
      },
    });
    this.questions = this.#board.questionsFor("awf");
  }

  async open(): Promise<void> {
    const { directory } = this.#options;
    if (directory === undefined) return;
    this.#server = await serveQuestions(directory, (request) => this.#reply(request));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#terminal[Symbol.dispose]();
    await this.#server?.[Symbol.asyncDispose]();
  }

  #show(): void {
    if (this.#shown) return;
    const [first] = this.#board.open;
    if (!first) {
      this.#terminal.release();
      return;
    }
    this.#shown = first;
    const { ownsTerminal, messages, allow, directory } = this.#options;
    const here = ownsTerminal && this.#terminal.read((key) => void this.#press(key));
    const program = (first.program ?? "a program").replace(/[^\x20-\x7e]/g, "?");
    const { id, domain, protocol } = first;
    const written = allow ? ", a to write it to the list" : "";
    const other = directory === undefined ? "" : `awf ask ${id} once|run|deny`;
    const how = here ? `o once, i this run${written}, d deny` : other;
    messages.announce(`[ASK] ${program} wants to reach ${protocol}://${domain}: ${how}`, {
      ...{ event: "asked", question: id, domain, protocol, program },
    });
  }

  #ended(domain: string, answer: string): void {
    if (this.#shown?.domain !== domain) return;
    this.#shown = undefined;
    this.#options.messages.announce(`[ASK] ${domain}: ${answer}`, {
      ...{ event: "answered", domain, answer },
    });
  }

  async #press(key: string): Promise<void> {
    const answer = keys.get(key.toLowerCase());
    const shown = this.#shown;
    if (answer === undefined || shown === undefined) return;
    try {
      await this.#answer(shown.id, answer);
    } catch (thrown) {
      if (!(thrown instanceof FirewallError)) throw thrown;
      this.#options.messages.error(thrown.message);
    }
  }

  /** @throws {FirewallError} */
  async #answer(id: string, text: string): Promise<void> {
    const question = this.#board.open.find((each) => each.id === id);
    const { allow, messages } = this.#options;
    if (text !== "allow" || question === undefined) return this.#board.answer(id, text);
    if (allow === undefined)
      throw new FirewallError(
        "no_list",
        "There is no list to write to: the run has neither --allow-domains-file nor --config",
      );
    // Not every name may be an entry.
    parseDomainPattern(question.domain);
    const path = await allow(question.domain);
    this.#board.answer(id, "run");
    messages.announce(`[ASK] ${question.domain} is in ${path} now`, {
      ...{ event: "allowed", domain: question.domain, path },
    });
  }

  async #reply({ answer }: QuestionRequest): Promise<QuestionReply> {
    try {
      if (answer) await this.#answer(answer.id, answer.text);
      return { questions: this.#board.open };
    } catch (thrown) {
      if (!(thrown instanceof FirewallError)) throw thrown;
      const { code, message } = thrown;
      return { questions: this.#board.open, problem: { code, message } };
    }
  }
}
