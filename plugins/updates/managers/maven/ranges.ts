/** What is required of a version in a POM. */
import { intervals } from "../intervals.js";
import { compareMaven } from "./order.js";

export const { satisfies: mavenSatisfies, floor: mavenFloor, raised } = intervals(compareMaven);
