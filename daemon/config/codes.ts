/**
 * Every code of this room: what it is called, why it is there, and a configuration that has it. `E1…` names and
 * attributes, `E2…` references, `E3…` values, `E4…` limits, `E5…` inputs, `E7…` tests (`E6…` are the catalog of plugins), `W…` warnings. `E0…` are the
 * grammar's.
 */
import { inputCodes } from "./codes/inputs.js";
import { limitCodes } from "./codes/limits.js";
import { nameCodes } from "./codes/names.js";
import { programCodes } from "./codes/program.js";
import { referenceCodes } from "./codes/references.js";
import { valueCodes } from "./codes/values.js";
import { warningCodes } from "./codes/warnings.js";

export const CONFIG_CODES = {
  ...nameCodes,
  ...referenceCodes,
  ...valueCodes,
  ...limitCodes,
  ...inputCodes,
  ...programCodes,
  ...warningCodes,
} as const;
