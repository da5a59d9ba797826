/** What the host says about plugins while a generation is prepared. Reports of plugins have codes of their own. */
import { programCodes } from "../config/codes/program.js";

export const HOST_CODES = {
  E651: {
    title: "plugin that does not start",
    explanation: "Its `setup` failed or took longer than 10 s. What runs stays as it is.",
  },
  E652: {
    title: "plugin that cannot prepare",
    explanation:
      "The plugin failed, or took longer than 10 s, while it prepared this configuration. What runs stays as it is.",
  },
  E653: programCodes.E653,
  W651: {
    title: "plugin in quarantine",
    explanation:
      "The plugin failed too often and stays down; its blocks are accepted, and take effect when it is released: `reeve plugin release`.",
  },
} as const;
