/** What `reeve fix` does to damaged texts. Prints one Markdown table. */
import { repairDamaged } from "../../cli/testing/damaged.js";
import { print } from "../support/table.js";

const TEXTS = 200_000;

const { fixable, fixed, harmed } = await repairDamaged(TEXTS, 1);
const percent = Math.round((fixed / fixable) * 100);
print(
  [
    { what: "damaged texts", result: TEXTS.toLocaleString("en"), bar: "" },
    { what: "texts with a fix", result: fixable.toLocaleString("en"), bar: "" },
    { what: "without any mistake after `reeve fix`", result: `${percent} % of them`, bar: "" },
    { what: "harmed by a fix", result: harmed.length.toLocaleString("en"), bar: "0" },
  ],
  "One to four random changes to each text.",
);
for (const text of harmed.slice(0, 10)) process.stderr.write(`${JSON.stringify(text)}\n`);
