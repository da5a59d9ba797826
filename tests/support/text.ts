/** Texts for property tests. */
import fc from "fast-check";

const FIRST_SURROGATE = 0xd800;
const SURROGATES = 0x800;
const LAST = 0x10ffff;

/** Every code point but the surrogates, in their order. */
const character = fc.nat({ max: LAST - SURROGATES }).map(
  (index) => String.fromCodePoint(index < FIRST_SURROGATE ? index : index + SURROGATES),
  (value) => {
    const point = typeof value === "string" ? value.codePointAt(0) : undefined;
    if (point === undefined || String.fromCodePoint(point) !== value)
      throw new Error("It is not one character.");
    return point < FIRST_SURROGATE ? point : point - SURROGATES;
  },
);

/**
 * Text of any characters, as `unit: "binary"` of fast-check makes it: that one builds a table of all characters, which
 * takes most of a second in each process.
 */
export const anyText = (limits: { readonly maxLength?: number } = {}): fc.Arbitrary<string> =>
  fc.string({ ...limits, unit: character });
