/** The firewall: what its panels say, what ran behind fences, and what was denied, which can be allowed from here. */
import { tableList } from "../view/list.js";
import { panelScreen } from "./panel-screen.js";
import { panelColumns, type Row, tablePanel } from "./panel-table.js";
import type { Screen, View } from "./screen.js";

const DENIED = 2;
/** The rule of what no list names: the only one that a further entry changes. */
const NOT_LISTED = "deny-default";

const panels = panelScreen({
  id: "firewall",
  title: "Firewall",
  short: "Fire",
  about: "what fenced commands reach, and what they are denied",
  plugin: "firewall",
  kind: "sandbox",
  how: "Add a `sandbox` block to fence a command.",
});

const isDenied = ({ state }: Pick<View, "state">): boolean => state.tab === DENIED;

export const firewall: Screen = {
  ...panels,
  tabs: ["Panels", "Runs", "Denied"],
  listTitle: (view) => (isDenied(view) ? "Denied" : panels.listTitle(view)),
  list: (view) => {
    if (!isDenied(view)) return panels.list(view);
    const { model, theme, state } = view;
    const panel = tablePanel(model, "firewall", "denied");
    const columns = panel ? panelColumns(panel, theme, model.now) : [];
    const text = (row: Row) => Object.values(row).join(" ");
    return tableList({ rows: panel?.rows ?? NONE, columns, id: idOf, text, theme }, state);
  },
  empty: (view) => (isDenied(view) ? "Nothing was denied." : panels.empty(view)),
  enter: (view, id) => (isDenied(view) ? {} : panels.enter?.(view, id)),
  propose: (view, id, wish) => {
    if (wish !== "allow") return undefined;
    const rows = tablePanel(view.model, "firewall", "denied")?.rows ?? NONE;
    const row = isDenied(view) ? rows.find((each) => idOf(each) === id) : rows[0];
    return row ? proposalFor(row) : "Nothing was denied.";
  },
};

const NONE: readonly Row[] = [];

const idOf = ({ at, sandbox, host, pid }: Row): string => [at, sandbox, host, pid].join(" ");

function proposalFor({
  sandbox,
  host,
  rule,
  reason,
}: Row): ReturnType<NonNullable<Screen["propose"]>> {
  const domain = String(host).replace(/:\d+$/, "");
  if (rule !== NOT_LISTED) {
    return `\`allow\` would not help: ${rule} denied ${domain} (${reason})`;
  }
  return { effect: { kind: "allow", wanted: { sandbox: String(sandbox), domain } } };
}
