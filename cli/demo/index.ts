/** A throwaway daemon with somebody who keeps it busy. */
export { openStage } from "./stage.js";
export { traffic } from "./traffic.js";
