/** The conformance suite: what every plugin promises, for any test runner. */
import type { Isolation } from "../../plugin-api/descriptor.js";
import type { PluginModule } from "../one-plugin.js";
import { describesItself } from "./description.js";
import {
  abortLeavesNoTrace,
  commitSwaps,
  givesEverythingBack,
  leavesOthersUntouched,
  refusesWithLocation,
} from "./edits.js";
import { leavesNothingBehind, stopsInTime, survivesACrash, survivesARestart } from "./life.js";
import type { ConformanceCheck, ConformanceOptions } from "./options.js";
import {
  answersForItsHealth,
  isTheSameEverywhere,
  showsNoSecret,
  showsValidPanels,
} from "./shown.js";
import { Trial } from "./trial.js";
import { alone, together } from "./turns.js";

interface Promised {
  readonly title: string;
  readonly check: (trial: Trial) => Promise<void>;
  /** Whether the options tell enough to check it. */
  readonly when?: (options: ConformanceOptions) => boolean;
}

/** In every isolation. */
const PROMISES: readonly Promised[] = [
  { title: "a prepared edit that is thrown away leaves no trace", check: abortLeavesNoTrace },
  { title: "a committed edit does what the new configuration says", check: commitSwaps },
  {
    title: "an edit of one block leaves the others untouched",
    check: leavesOthersUntouched,
    when: ({ keeps }) => keeps !== undefined,
  },
  {
    title: "a refusal is about a place in the configuration",
    check: refusesWithLocation,
    when: ({ refused }) => refused !== undefined,
  },
  { title: "without its last block it gives everything back", check: givesEverythingBack },
  { title: "its panels are valid data", check: showsValidPanels },
  { title: "it answers for its health in time", check: answersForItsHealth },
  {
    title: "no secret is in what it shows",
    check: showsNoSecret,
    when: ({ secrets = [] }) => secrets.length > 0,
  },
  { title: "it stops in time, with work under way", check: stopsInTime },
  { title: "it goes on after a restart by hand", check: survivesARestart },
  { title: "it goes on after a crash", check: survivesACrash },
];

const ISOLATIONS: readonly Isolation[] = ["inline", "worker", "process"];

/**
 * What every plugin promises, as checks for any test runner. What `options` do not tell enough about is left out.
 *
 *     for (const check of conformanceChecks(module, options)) test(check.title, check.run);
 */
export function conformanceChecks(
  plugin: PluginModule,
  options: ConformanceOptions,
): readonly ConformanceCheck[] {
  const isObject = typeof plugin === "object" && !(plugin instanceof URL);
  const isolations = options.isolations ?? (isObject ? ["inline"] : ISOLATIONS);
  const trials = isolations.map((isolation) => new Trial(plugin, options, isolation));
  const checks = trials.flatMap((trial) =>
    PROMISES.filter(({ when }) => when?.(options) ?? true).map(({ title, check }) => ({
      title: `${trial.isolation}: ${title}`,
      run: () => together(() => check(trial)),
    })),
  );
  const [first] = trials;
  const inline = trials.find(({ isolation }) => isolation === "inline");
  return [
    ...(first
      ? [{ title: "it describes itself in plain data", run: () => describesItself(first) }]
      : []),
    ...checks,
    ...(inline
      ? [
          {
            title: "inline: it leaves nothing behind",
            run: () => alone(() => leavesNothingBehind(inline)),
          },
        ]
      : []),
    ...(first && trials.length > 1
      ? [
          {
            title: "it does the same in every isolation",
            run: () => together(() => isTheSameEverywhere(trials)),
          },
        ]
      : []),
  ];
}
