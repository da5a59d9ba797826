/** A temporary daemon with traffic. */
export { openStage } from "./demo-daemon.js";
export { traffic } from "./traffic.js";
