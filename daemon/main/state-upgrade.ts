/** What the first start of this version would change in a state directory. */
export { stateSteps, type TableSteps } from "../services/store/state-steps.js";
