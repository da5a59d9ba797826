/** Opens a place for a plugin's code. */
import type { Isolation } from "../../plugin-api/descriptor.js";
import type { Carrier, CarrierOptions } from "./carrier.js";
import { openProcess } from "./process.js";
import { openWorker } from "./worker.js";

export const openCarrier = (
  isolation: Exclude<Isolation, "inline">,
  options: CarrierOptions,
): Carrier => (isolation === "worker" ? openWorker(options) : openProcess(options));
