/** What happens and what plugins log, in one list. */

import type { Screen } from "../../plugin-api/screen.js";
import { tableList } from "../view/list.js";
import { entryDetail, relatedEntries } from "./entry-detail.js";
import { allEntries, entryColumns, entryName, entryText } from "./events.js";

export const logs: Screen = {
  id: "logs",
  title: "Logs",
  short: "Log",
  about: "events and the log of the daemon and its plugins, newest first; space holds it still",
  top: ({ model, theme }) =>
    model.missed
      ? [theme.paint("warn", "▲ There was more than could be told; some events are missing.")]
      : [],
  listTitle: () => "Logs and events",
  list: ({ model, theme, state }) =>
    tableList(
      {
        rows: allEntries(model),
        columns: entryColumns(theme, model.now, state.raw),
        id: ({ id }) => id,
        name: entryName,
        text: entryText,
        theme,
      },
      state,
    ),
  empty: () => "Nothing has happened yet.",
  preview: entryDetail,
  further: relatedEntries,
  detail: entryDetail,
};
