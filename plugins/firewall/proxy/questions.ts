/** Questions about domains that no list has: a connection waits for the answer, and is denied without one. */
import { parseDomainPattern } from "../policy/pattern.js";
import { Policy, type Verdict } from "../policy/policy.js";

export const answers = ["once", "run", "deny"] as const;
/** `run`: every later connection of the command too. */
export type QuestionAnswer = (typeof answers)[number];

export interface DomainQuestion {
  readonly domain: string;
  readonly protocol: "http" | "https";
  readonly pid: number | undefined;
  readonly program: string | undefined;
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** @throws {FirewallError} `invalid_domain` if a list cannot have the domain; the question stays open */
  answer(answer: QuestionAnswer): void;
}

/** `rule`: the policy has changed and decides; `expired`: no answer in time; `abandoned`: every client has left. */
type QuestionResult = QuestionAnswer | "rule" | "expired" | "abandoned";

interface QuestionSink {
  readonly opened: (question: DomainQuestion) => void;
  readonly closed: (question: DomainQuestion, result: QuestionResult) => void;
}

/** A client that waits for an answer. */
export interface WaitingClient {
  /** The program that connected. */
  readonly requester: { readonly pid: number; readonly comm: string } | undefined;
  /** Calls back once the client has left; returns what ends the watch. */
  readonly whenLeft: (left: () => void) => () => void;
}

interface OpenQuestion {
  readonly question: DomainQuestion;
  readonly close: (verdict: Verdict, result: QuestionResult) => void;
  readonly verdict: Promise<Verdict>;
  waiting: number;
}

const mostOpen = 16;
const mostWaiting = 256;
const mostRemembered = 1000;

/** Names that no public server has: programs look for them to find out where they run. */
const localName = /(?:^|\.)(?:arpa|home|internal|invalid|lan|local|localdomain|localhost|onion)$/;

const refused = (rule: string, reason: string): Verdict => ({ allowed: false, rule, reason });
const denied = refused("deny-asked", "denied by the answer to the question about this domain");

/** The questions of one command. */
export class Questions implements Disposable {
  readonly #sink: QuestionSink;
  readonly #limitMs: number;
  readonly #open = new Map<string, OpenQuestion>();
  /** When the latest questions were abandoned: programs must not ask without end. */
  #abandoned: readonly number[] = [];
  /** Domains that are denied without another question. */
  readonly #denied = new Map<string, Verdict>();
  #answered: readonly string[] = [];
  #extended: { readonly base: Policy; readonly policy: Policy } | undefined;

  /** @param limitMs how long a connection waits */
  constructor(sink: QuestionSink, limitMs = 30_000) {
    this.#sink = sink;
    this.#limitMs = limitMs;
  }

  /** Whether a connection to a name with this denial waits for an answer. */
  asks({ allowed, rule }: Verdict, host: string): boolean {
    return !allowed && rule === "deny-default" && host.includes(".") && !localName.test(host);
  }

  /** The policy with the answers for the whole run. */
  extend(base: Policy): Policy {
    if (this.#answered.length === 0) return base;
    if (this.#extended?.base !== base) {
      const answered = this.#answered.map((domain) => parseDomainPattern(domain));
      const { learning } = base;
      const policy = new Policy(base.allow.patterns, base.block.patterns, base.urls, {
        learning,
        answered,
      });
      this.#extended = { base, policy };
    }
    return this.#extended.policy;
  }

  /** Resolves with the answer's verdict. Connections to one domain wait for one answer. */
  async ask(domain: string, protocol: "http" | "https", client: WaitingClient): Promise<Verdict> {
    const known = this.#denied.get(domain);
    if (known) return known;
    const open = this.#open.get(domain) ?? this.#begin(domain, protocol, client.requester);
    if (open === undefined || open.waiting >= mostWaiting) return tooMany;
    open.waiting += 1;
    const end = client.whenLeft(() => this.#leave(open));
    return open.verdict.finally(end);
  }

  /** Closes the questions that a new policy decides. */
  reconsider(policy: Policy): void {
    for (const [domain, { question, close }] of this.#open) {
      const port = question.protocol === "https" ? 443 : 80;
      const verdict = policy.decide({ host: domain, port, protocol: question.protocol });
      if (!this.asks(verdict, domain)) close(verdict, "rule");
    }
  }

  [Symbol.dispose](): void {
    for (const { close } of this.#open.values()) close(denied, "expired");
  }

  #begin(
    domain: string,
    protocol: "http" | "https",
    requester: WaitingClient["requester"],
  ): OpenQuestion | undefined {
    const since = Date.now();
    this.#abandoned = this.#abandoned.filter((time) => time > since - this.#limitMs);
    if (this.#open.size + this.#abandoned.length >= mostOpen) return undefined;
    const { promise, resolve } = Promise.withResolvers<Verdict>();
    const close: OpenQuestion["close"] = (verdict, result) => {
      if (!this.#open.delete(domain)) return;
      clearTimeout(timer);
      if (result === "deny" || result === "expired") this.#remember(domain, verdict);
      resolve(verdict);
      this.#sink.closed(question, result);
    };
    const question: DomainQuestion = {
      ...{ domain, protocol, since },
      pid: requester?.pid,
      program: requester?.comm,
      answer: (answer) => close(this.#verdictOf(domain, answer), answer),
    };
    const expired = () =>
      close(
        refused(
          "deny-unanswered",
          `domain not in allowlist, and no answer in ${Math.round(this.#limitMs / 1000)} seconds`,
        ),
        "expired",
      );
    const timer = setTimeout(expired, this.#limitMs);
    const open = { question, close, verdict: promise, waiting: 0 };
    this.#open.set(domain, open);
    this.#sink.opened(question);
    return open;
  }

  #leave(open: OpenQuestion): void {
    open.waiting -= 1;
    if (open.waiting > 0 || this.#open.get(open.question.domain) !== open) return;
    this.#abandoned = [...this.#abandoned, Date.now()];
    open.close(left, "abandoned");
  }

  #verdictOf(domain: string, answer: QuestionAnswer): Verdict {
    if (answer === "deny") return denied;
    if (answer === "run") {
      parseDomainPattern(domain);
      this.#answered = [...this.#answered, domain];
      this.#extended = undefined;
    }
    return { allowed: true, rule: `allow-asked-${answer}`, reason: "" };
  }

  #remember(domain: string, verdict: Verdict): void {
    if (this.#denied.size >= mostRemembered) this.#denied.clear();
    this.#denied.set(domain, verdict);
  }
}

const left = refused(
  "deny-abandoned",
  "domain not in allowlist, and the client left before an answer",
);

const tooMany = refused(
  "deny-too-many-questions",
  "domain not in allowlist, and too many questions are open",
);
