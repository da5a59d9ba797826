/** Badges, for people and for programs. */
import type { Routes } from "reeve/plugin";
import type { Watch } from "./watch.js";

/** `find` is asked anew for every request. */
export const badges =
  (find: (label: string) => Watch | undefined): Routes =>
  (app) => {
    app.get<{ Params: { file: string } }>("/:file", async ({ params }, reply) => {
      const [, label = "", kind] = /^(.*)\.(svg|json)$/.exec(params.file) ?? [];
      const watch = find(label);
      if (!watch) return reply.code(404).send({ message: `There is no site "${params.file}".` });
      reply.header("cache-control", "no-store");
      if (kind === "svg") return reply.type("image/svg+xml").send(badge(watch));
      return {
        site: label,
        state: stateOf(watch),
        checks: watch.results.length,
        ratio: ratio(watch),
      };
    });
  };

export function stateOf({ last }: Watch): "unknown" | "up" | "down" {
  if (!last) return "unknown";
  return last.up ? "up" : "down";
}

/** The share of checks that found it up, in 0..1. */
export function ratio({ results }: Watch): number | null {
  if (results.length === 0) return null;
  return results.filter(({ up }) => up).length / results.length;
}

const COLOURS = { unknown: "#777", up: "#2a7", down: "#c33" } as const;

function badge(watch: Watch): string {
  const state = stateOf(watch);
  const share = ratio(watch);
  const text = share === null ? state : `${state} ${(share * 100).toFixed(1)}%`;
  // Labels are names, so nothing has to be escaped.
  return `<svg xmlns="http://www.w3.org/2000/svg" width="220" height="20" role="img" aria-label="${watch.label}: ${text}">
  <rect width="120" height="20" fill="#333"/><rect x="120" width="100" height="20" fill="${COLOURS[state]}"/>
  <g fill="#fff" font-family="sans-serif" font-size="11"><text x="8" y="14">${watch.label}</text><text x="128" y="14">${text}</text></g>
</svg>
`;
}
