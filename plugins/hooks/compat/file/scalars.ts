/** The values of plain scalars: YAML 1.1, with the texts of the existing server. */

export type Scalar =
  | { readonly is: "text"; readonly text: string }
  | { readonly is: "null"; readonly text: "" }
  | { readonly is: "truth"; readonly truth: boolean; readonly text: string }
  | { readonly is: "integer"; readonly integer: bigint; readonly text: string }
  | { readonly is: "number"; readonly text: string };

const text = (written: string): Scalar => ({ is: "text", text: written });

/** `plain`: without quotes. */
export function scalarOf(written: string, plain: boolean): Scalar {
  if (!plain) return text(written);
  if (/^(?:~|null|Null|NULL|)$/.test(written)) return { is: "null", text: "" };
  if (/^(?:true|True|TRUE|yes|Yes|YES|on|On|ON|y|Y)$/.test(written)) return truth(true);
  if (/^(?:false|False|FALSE|no|No|NO|off|Off|OFF|n|N)$/.test(written)) return truth(false);
  const integer = integerOf(written.replaceAll("_", ""));
  if (integer !== undefined) return { is: "integer", integer, text: String(integer) };
  if (!/^[-+]?(?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:[eE][-+]?\d+)?$/.test(written)) {
    return text(written);
  }
  const number = Number(written.replaceAll("_", ""));
  return Number.isFinite(number) ? { is: "number", text: numberText(number) } : text(written);
}

const truth = (value: boolean): Scalar => ({ is: "truth", truth: value, text: String(value) });

function integerOf(written: string): bigint | undefined {
  const found = /^([-+]?)(0b[01]+|0x[0-9A-Fa-f]+|0o?[0-7]+|0|[1-9]\d*)$/.exec(written);
  if (!found) return undefined;
  const [, sign, digits = ""] = found;
  const value = BigInt(digits.replace(/^0o?(?=[0-7])/, "0o"));
  const signed = sign === "-" ? -value : value;
  return signed >= -(2n ** 63n) && signed < 2n ** 64n ? signed : undefined;
}

/** The shortest text that is the same number in 32 bits; with an exponent below 10⁻⁴ and from a million on. */
function numberText(number: number): string {
  const single = Math.fround(number);
  if (single === 0) return Object.is(single, -0) ? "-0" : "0";
  if (!Number.isFinite(single)) return single > 0 ? "+Inf" : "-Inf";
  let shortest = single.toExponential(8);
  for (let digits = 0; digits < 9; digits += 1) {
    shortest = single.toExponential(digits);
    if (Math.fround(Number(shortest)) === single) break;
  }
  const [mantissa = "", written = "0"] = shortest.split("e");
  const exponent = Number(written);
  if (exponent >= -4 && exponent < MOST) return plainText(mantissa, exponent);
  const size = String(Math.abs(exponent)).padStart(2, "0");
  return `${mantissa}e${exponent < 0 ? "-" : "+"}${size}`;
}

/** The most digits before the point. */
const MOST = 6;

function plainText(mantissa: string, exponent: number): string {
  const digits = Math.max(0, mantissa.replace(/[-.]/g, "").length - 1 - exponent);
  return Number(`${mantissa}e${exponent}`).toFixed(digits);
}
