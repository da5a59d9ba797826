/** The firewall: what its panels say, sandboxed runs, denied domains and open questions, which can be allowed from here. */
import {
  type Model,
  oneLine,
  type PanelRow,
  pairs,
  panelColumns,
  panelScreen,
  type Screen,
  type Theme,
  tableList,
  tablePanel,
  type View,
  when,
  wrapped,
} from "reeve/cli";

const DENIED = 1;
const QUESTIONS = 3;
/** The rule of what no list names: the only one that a further entry changes. */
const NOT_LISTED = "deny-default";

const panels = panelScreen({
  id: "firewall",
  title: "Firewall",
  short: "Fire",
  about: "what fenced commands reach, and what they are denied",
  plugin: "firewall",
  kind: "sandbox",
  runs: {
    tab: 2,
    none: "`reeve sandbox run` has run nothing here. What hooks run behind a fence is on screen 2.",
  },
  how: "Add a `sandbox` block to fence a command.",
});

const isDenied = ({ state }: Pick<View, "state">): boolean => state.tab === DENIED;
const isQuestion = ({ state }: Pick<View, "state">): boolean => state.tab === QUESTIONS;

/** The keys of answers, as the control API names these. */
const ANSWERS: ReadonlyArray<readonly [key: string, answer: string, does: string]> = [
  ["o", "once", "allow the waiting connections of the chosen question"],
  ["i", "run", "allow its domain until the command ends"],
  ["d", "deny", "deny its domain until the command ends"],
];
const isAnswer = (action: string): boolean => ANSWERS.some(([, answer]) => answer === action);

export const firewall: Screen = {
  ...panels,
  tabs: ["Now", "Denied", "Runs", "Questions"],
  keys: [
    {
      keys: ["a"],
      action: "allow",
      does: "show the edit that allows the chosen or latest domain, to confirm it",
      changes: true,
      hint: "allow",
    },
    ...ANSWERS.map(
      ([key, answer, does]) => ({ keys: [key], action: answer, does, changes: true }) as const,
    ),
  ],
  listTitle: (view) =>
    isDenied(view) ? "Denied" : isQuestion(view) ? "Questions" : panels.listTitle(view),
  list: (view) => {
    if (!isDenied(view) && !isQuestion(view)) return panels.list(view);
    const { model, theme, state } = view;
    const panel = tablePanel(model, "firewall", isQuestion(view) ? "questions" : "denied");
    const columns = panel ? panelColumns(panel, theme, model.now) : [];
    const text = (row: PanelRow) => Object.values(row).join(" ");
    return tableList({ rows: panel?.rows ?? NONE, columns, id: idOf, text, theme }, state);
  },
  empty: (view) =>
    isDenied(view)
      ? "Nothing was denied: every domain that was asked for is on a list."
      : isQuestion(view)
        ? "There is no question. A `sandbox` block with `ask = true` asks about domains that no list has."
        : panels.empty(view),
  preview: (view, id) => {
    const { model, theme, state, width } = view;
    const question = isQuestion({ state }) ? questionRow(model, id) : undefined;
    if (question) return questionLines(question, theme, model.now, width);
    const row = isDenied({ state }) ? deniedRow(model, id) : undefined;
    return row ? whyLines(row, theme, model.now, width) : (panels.preview?.(view, id) ?? []);
  },
  enter: (view, id) => (isDenied(view) || isQuestion(view) ? {} : panels.enter?.(view, id)),
  async perform(control, action, target) {
    if (!isAnswer(action)) return panels.perform?.(control, action, target) ?? NOTHING;
    await control.post(`/questions/${encodeURIComponent(target)}`, { answer: action });
    return { kind: "notice", text: `Question ${target} is answered: ${action}.`, bad: false };
  },
  propose: (view, id, action) => {
    const { model } = view;
    if (isAnswer(action)) {
      const { id: question, domain } = (isQuestion(view) && questionRow(model, id)) || {};
      if (question === undefined) return "Choose a question first: `t` shows them.";
      const effect = { kind: "screen", action, target: String(question) } as const;
      // Denying is what happens without an answer.
      if (action === "deny") return { effect };
      const until = action === "once" ? "now" : "until the command ends";
      return { question: `Allow ${oneLine(String(domain))} ${until}?`, effect };
    }
    if (action !== "allow" || id === undefined) return undefined;
    if (isQuestion(view)) {
      const row = questionRow(model, id);
      return row && additionOf(row.sandbox, row.domain);
    }
    const row = isDenied(view)
      ? deniedRow(model, id)
      : tablePanel(model, "firewall", "denied")?.rows[0];
    return row ? proposalFor(row) : "Nothing was denied.";
  },
};

const NONE: readonly PanelRow[] = [];

const NOTHING = { kind: "notice", text: "Nothing was done.", bad: true } as const;

const idOf = ({ id, at, sandbox, host, pid }: PanelRow): string =>
  typeof id === "string" ? id : [at, sandbox, host, pid].join(" ");

const questionRow = (model: Model, id: string | undefined): PanelRow | undefined =>
  tablePanel(model, "firewall", "questions")?.rows.find((row) => idOf(row) === id);

/** The question and its possible answers. */
function questionLines(row: PanelRow, theme: Theme, now: number, width: number): readonly string[] {
  const text = (name: string) => oneLine(String(row[name] ?? ""));
  return [
    theme.paint("bold", text("domain")),
    "",
    ...pairs(
      [
        ["sandbox", text("sandbox")],
        ["program", `${text("program")} ${text("pid") && `(pid ${text("pid")})`}`.trim()],
        ["asked", typeof row.since === "number" ? when(row.since, now) : undefined],
      ],
      (name) => theme.paint("dim", name),
    ),
    "",
    ...wrapped(
      "`o` allows it now, `i` until the command ends, `d` denies it; `a` shows the edit that allows it for good. Without an answer it is denied.",
      width,
    ),
  ];
}

const deniedRow = (model: Model, id: string): PanelRow | undefined =>
  tablePanel(model, "firewall", "denied")?.rows.find((row) => idOf(row) === id);

/** The denied request, the reason, and what to do. */
function whyLines(row: PanelRow, theme: Theme, now: number, width: number): readonly string[] {
  const text = (name: string) => oneLine(String(row[name] ?? ""));
  const proposal = proposalFor(row);
  const remedy =
    typeof proposal === "string"
      ? proposal
      : "`a` shows the edit that would allow it, and its plan.";
  return [
    theme.paint("bold", text("host")),
    "",
    ...pairs(
      [
        ["sandbox", text("sandbox")],
        ["program", `${text("program")} ${text("pid") && `(pid ${text("pid")})`}`.trim()],
        ["denied by", `${text("rule")}: ${text("reason")}`],
        ["when", typeof row.at === "number" ? when(row.at, now) : undefined],
      ],
      (name) => theme.paint("dim", name),
    ),
    "",
    ...wrapped(remedy ?? "", width),
  ];
}

function proposalFor({
  sandbox,
  host,
  rule,
  reason,
}: PanelRow): ReturnType<NonNullable<Screen["propose"]>> {
  const domain = String(host).replace(/:\d+$/, "");
  if (rule !== NOT_LISTED) {
    return `\`allow\` would not help: ${rule} denied ${domain} (${reason})`;
  }
  return additionOf(sandbox, domain);
}

/** The edit that allows a domain, shown before it is written. */
function additionOf(sandbox: unknown, domain: unknown) {
  const [label, entry] = [String(sandbox), String(domain)];
  const addition = { block: "sandbox", label, attribute: "allow", entry };
  return { effect: { kind: "add", addition } } as const;
}
