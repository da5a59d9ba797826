/** All functions of the language by name. Signatures are data: checks, completion and the reference read them. */
import { dataFunctions } from "./data.js";
import { listFunctions } from "./list.js";
import { networkFunctions } from "./network.js";
import { numberFunctions } from "./number.js";
import { pathFunctions } from "./path.js";
import type { FunctionSignature } from "./signature.js";
import { specialFunctions } from "./special.js";
import { textFunctions } from "./text.js";

/** In the order of the reference, by family. */
export const functionFamilies: ReadonlyArray<
  readonly [title: string, functions: readonly FunctionSignature[]]
> = [
  ["Text", textFunctions],
  ["Lists and objects", listFunctions],
  ["Numbers", numberFunctions],
  ["Data", dataFunctions],
  ["Hosts and addresses", networkFunctions],
  ["Paths", pathFunctions],
  ["Absence, inputs and secrets", specialFunctions],
];

export const functions: ReadonlyMap<string, FunctionSignature> = new Map(
  functionFamilies.flatMap(([, members]) => members.map((each) => [each.name, each] as const)),
);
