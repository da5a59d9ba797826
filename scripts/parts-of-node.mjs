// Makes bundled files ask for parts of Node instead of importing them. An import makes a module of a part, and for that looks at
// everything the part has to give, also at what it loads only when it is used, as `crypto.webcrypto` or `http.WebSocket`.
import { isBuiltin } from "node:module";

/** As esbuild writes it where white space is left out: what is bound, and from what. */
const IMPORT =
  /(?<=^|[;}\n])import ?(?:([\w$]+)?,?(\{[^{}]*\}|\* ?as [\w$]+)? ?from ?)?"([^"\n]+)";/g;
const BANNER =
  /^import \{ createRequire as \$require \} from "node:module"; const require = (.*;)$/m;

/** The same program. Where there is nothing to do it is the same text. */
export function askingForParts(text) {
  const asked = [];
  const left = text
    .replace(IMPORT, (statement, whole, names, part) => {
      if (!isBuiltin(part)) return statement;
      const name = part.startsWith("node:") ? part : `node:${part}`;
      const given = `globalThis.process.getBuiltinModule(${JSON.stringify(name)})`;
      if (whole) asked.push(`const ${whole}=${given};`);
      if (names?.startsWith("{")) {
        asked.push(`const${names.replace(/([\w$]+) as ([\w$]+)/g, "$1:$2")}=${given};`);
      } else if (names) asked.push(`const ${names.replace(/^\* ?as /, "")}=${given};`);
      return "";
    })
    .replace(BANNER, (_, made) => {
      const uses = /[^.\w$]require[^\w$:]/.test(text.replace(BANNER, ""));
      if (!uses) return "";
      return `const {createRequire:$require}=globalThis.process.getBuiltinModule("node:module"); const require = ${made}`;
    });
  if (asked.length === 0) return left;
  // Imports come first, wherever they stand.
  const [shebang = ""] = /^#!.*\n/.exec(left) ?? [];
  return `${shebang}${asked.join("")}\n${left.slice(shebang.length)}`;
}
