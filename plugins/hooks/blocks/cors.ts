/** `cors { … }`: which pages of other origins may send requests with scripts (Fetch standard). */
import { c } from "reeve/plugin";

const DAY = 86_400_000;
const TOKEN = "^[A-Za-z0-9!#$%&'+.^_`|~-]+$";

export const cors = c.block({
  doc: "Lets scripts of pages from other origins send requests and read the responses. This verifies nobody: clients other than browsers ignore it.",
  max: 1,
  reload: "live",
  examples: ['cors {\n  origins = ["https://app.example.com"]\n  headers = ["Content-Type"]\n}'],
  attrs: {
    origins: c
      .list(c.string(), { minItems: 1, unique: true })
      .doc('The origins of the pages, such as `https://app.example.com`; or `["*"]` for all.')
      .example('["https://app.example.com"]'),
    headers: c
      .list(c.string().pattern(TOKEN, "the name of a header"), { unique: true })
      .default('["Content-Type"]')
      .doc("The headers that scripts may send, besides those that need no permission.")
      .example('["Content-Type", "Authorization"]'),
    max_age: c
      .duration()
      .min(0)
      .max(DAY)
      .default("10m")
      .doc("How long a browser may remember the permission."),
    credentials: c
      .boolean()
      .default("false")
      .doc("Whether scripts may send cookies, client certificates and passwords of the browser."),
  },
  check: ({ values: { origins, credentials } }, report) => {
    for (const [index, origin] of origins.entries()) {
      const fault = originFault(origin);
      if (fault !== undefined) report(["origins", String(index)], fault);
    }
    const index = origins.indexOf("*");
    if (index === -1) return;
    if (credentials) {
      report(
        ["origins", String(index)],
        "`*` with `credentials` would let every page act with the user's cookies",
        "list the origins",
      );
    } else if (origins.length > 1) {
      report(["origins", String(index)], "`*` includes the other origins", "remove the others");
    }
  },
});

/** As browsers write it, so that it can be compared as text. */
function originFault(text: string): string | undefined {
  if (text === "*") return undefined;
  if (URL.canParse(text)) {
    const { origin, protocol } = new URL(text);
    if (origin === text) return undefined;
    if (origin !== "null" && /^https?:$/.test(protocol)) {
      return `\`${text.slice(0, 200)}\` is not an origin; browsers send \`${origin}\``;
    }
  }
  return `\`${text.slice(0, 200)}\` is not an origin, such as \`https://app.example.com\``;
}
