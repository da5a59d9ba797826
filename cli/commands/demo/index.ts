/** A throwaway daemon with somebody who keeps it busy. */
export { openStage } from "./demo-daemon.js";
export { traffic } from "./traffic.js";
