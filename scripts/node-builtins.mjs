// Lets bundles read Node's built-in modules with `process.getBuiltinModule` instead of imports. An import evaluates every export,
// including getters that load more, such as `crypto.webcrypto` or `http.WebSocket`.
import { isBuiltin } from "node:module";

/** An import as esbuild minifies it: bindings and module. */
const IMPORT =
  /(?<=^|[;}\n])import ?(?:([\w$]+)?,?(\{[^{}]*\}|\* ?as [\w$]+)? ?from ?)?"([^"\n]+)";/g;
const BANNER =
  /^import \{ createRequire as \$require \} from "node:module"; const require = (.*;)$/m;

/** The equivalent program; the same text if there is nothing to replace. */
export function readBuiltinsOnDemand(text) {
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
  // Imports are hoisted.
  const [shebang = ""] = /^#!.*\n/.exec(left) ?? [];
  return `${shebang}${asked.join("")}\n${left.slice(shebang.length)}`;
}
