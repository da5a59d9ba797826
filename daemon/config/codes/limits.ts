/** `E4…`: how much one configuration may ask for. */
import type { ConfigurationCode } from "./entry.js";

const lines = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => `${line(index)}\n`).join("");

export const limitCodes = {
  E401: {
    title: "configuration too large",
    explanation: "All files of a configuration together are limited to 8 MiB.",
    example: () => ({
      "main.reeve": 'import "./parts/*.reeve"\n',
      ...Object.fromEntries(
        Array.from({ length: 9 }, (_, index) => [
          `parts/${index}.reeve`,
          `# ${"x".repeat(1_000_000)}\n`,
        ]),
      ),
    }),
  },
  E402: {
    title: "too many files",
    explanation: "A configuration is limited to 256 files.",
    example: () => ({
      "main.reeve": 'import "./parts/*.reeve"\n',
      ...Object.fromEntries(
        Array.from({ length: 256 }, (_, index) => [`parts/${index}.reeve`, "# part\n"]),
      ),
    }),
  },
  E403: {
    title: "imports too deep",
    explanation: "Imports of imports go at most 8 files deep.",
    example: () => ({
      "main.reeve": 'import "./1.reeve"\n',
      ...Object.fromEntries(
        Array.from({ length: 9 }, (_, index) => [
          `${index + 1}.reeve`,
          `import "./${index + 2}.reeve"\n`,
        ]),
      ),
    }),
  },
  E404: {
    title: "too many blocks",
    explanation:
      "A configuration is limited to 10,000 blocks after `for` expansion, including nested blocks.",
    example:
      'for a in range(101) {\n  for b in range(100) {\n    sandbox "s-${a}-${b}" {}\n  }\n}\n',
  },
  E405: {
    title: "evaluation too expensive",
    explanation:
      "Evaluation of a configuration is limited to 100,000 steps: operators, calls, references, iterations of `for`, and elements that functions examine.",
    example: "let all = [for a in range(1000): [for b in range(1000): a * b]]\n",
  },
  E406: {
    title: "string too long",
    explanation: "A string, and a file read into one, is limited to 1,048,576 characters.",
    example: `let a = "${"x".repeat(64)}"\n${lines(15, (index) => `let ${name(index)} = "\${let.${index === 0 ? "a" : name(index - 1)}}\${let.${index === 0 ? "a" : name(index - 1)}}"`)}`,
  },
  E407: {
    title: "range too long",
    explanation: "A range is limited to 1,000 numbers.",
    example: "let all = range(5000)\n",
  },
  E408: {
    title: "value too large",
    explanation: "A value is limited to 100,000 elements and 128 levels of nesting.",
    example: `let a = ["x", "x"]\n${lines(17, (index) => `let ${name(index)} = [let.${index === 0 ? "a" : name(index - 1)}, let.${index === 0 ? "a" : name(index - 1)}]`)}`,
  },
  E409: {
    title: "dependency chain of values too long",
    explanation: "The chain of values that depend on each other is too long.",
    example: `${lines(1100, (index) => `let a${index} = let.a${index + 1} + 1`)}let a1100 = 0\n`,
  },
  E410: {
    title: "dependency chain of inputs too long",
    explanation: "The chain of files whose contents name the next file is too long.",
    example: () => ({
      "main.reeve": `let a0 = file("0.txt")\n${lines(80, (index) => `let a${index + 1} = file(let.a${index})`)}`,
      ...Object.fromEntries(
        Array.from({ length: 81 }, (_, index) => [`${index}.txt`, `${index + 1}.txt`]),
      ),
    }),
  },
} as const satisfies Record<string, ConfigurationCode>;

function name(index: number): string {
  return `a${index}`;
}
