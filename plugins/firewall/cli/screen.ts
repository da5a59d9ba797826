/** The firewall: what its panels say, what ran behind fences, and what was denied, which can be allowed from here. */
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

export const firewall: Screen = {
  ...panels,
  tabs: ["Now", "Denied", "Runs"],
  keys: [
    {
      keys: ["a"],
      action: "allow",
      does: "show the edit that allows the chosen or latest denied domain, to confirm it",
      changes: true,
      hint: "allow",
    },
  ],
  listTitle: (view) => (isDenied(view) ? "Denied" : panels.listTitle(view)),
  list: (view) => {
    if (!isDenied(view)) return panels.list(view);
    const { model, theme, state } = view;
    const panel = tablePanel(model, "firewall", "denied");
    const columns = panel ? panelColumns(panel, theme, model.now) : [];
    const text = (row: PanelRow) => Object.values(row).join(" ");
    return tableList({ rows: panel?.rows ?? NONE, columns, id: idOf, text, theme }, state);
  },
  empty: (view) =>
    isDenied(view)
      ? "Nothing was denied: every domain that was asked for is on a list."
      : panels.empty(view),
  preview: ({ model, theme, state, width }, id) => {
    const row = isDenied({ state }) ? deniedRow(model, id) : undefined;
    return row ? whyLines(row, theme, model.now, width) : [];
  },
  enter: (view, id) => (isDenied(view) ? {} : panels.enter?.(view, id)),
  propose: (view, id, action) => {
    if (action !== "allow" || id === undefined) return undefined;
    const { model } = view;
    const row = isDenied(view)
      ? deniedRow(model, id)
      : tablePanel(model, "firewall", "denied")?.rows[0];
    return row ? proposalFor(row) : "Nothing was denied.";
  },
};

const NONE: readonly PanelRow[] = [];

const idOf = ({ at, sandbox, host, pid }: PanelRow): string => [at, sandbox, host, pid].join(" ");

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
  const addition = { block: "sandbox", label: String(sandbox), attribute: "allow", entry: domain };
  return { effect: { kind: "add", addition } };
}
