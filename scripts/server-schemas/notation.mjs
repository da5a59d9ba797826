// Settings in a short notation. `undefined` as a default: the server works it out.
const setting = (type, byDefault) => ({
  type,
  ...(byDefault === undefined ? {} : { default: byDefault }),
});

export const flag = (byDefault) => setting("boolean", byDefault);
export const text = (byDefault) => setting("string", byDefault);
export const number = (byDefault) => setting("number", byDefault);
export const integer = (byDefault) => setting("integer", byDefault);
/** The first choice is the default. */
export const choice = (...choices) => ({ type: "string", enum: choices, default: choices[0] });
export const oneOf = (byDefault, choices) => ({
  type: "string",
  enum: choices,
  default: byDefault,
});
/** Without a default. */
export const anyOf = (...choices) => ({ type: "string", enum: choices });
/** Texts. */
export const list = (byDefault = []) => ({
  type: "array",
  items: { type: "string" },
  default: byDefault,
});
/** Of anything. */
export const array = (byDefault = []) => ({ type: "array", default: byDefault });
export const map = (byDefault = {}) => ({ type: "object", default: byDefault });
/** A text, or nothing. */
export const optional = (type = "string") => ({ type: [type, "null"], default: null });
/** The same settings below a name. */
export const below = (prefix, settings) =>
  Object.fromEntries(Object.entries(settings).map(([key, each]) => [`${prefix}.${key}`, each]));
