/** Which of a gem's variants a platform gets: one built for it, else the one that runs everywhere. */

interface Variant {
  readonly platform: string;
}

export function bestFor<Kind extends Variant>(
  platform: string,
  variants: readonly Kind[],
): Kind | undefined {
  const fitting = variants.filter(
    (variant) => variant.platform !== "ruby" && fits(variant.platform, platform),
  );
  // The most exact one: `x86_64-linux-gnu` goes before `x86_64-linux`.
  const [best] = fitting.toSorted((a, b) => b.platform.length - a.platform.length);
  return best ?? variants.find((variant) => variant.platform === "ruby");
}

interface Machine {
  readonly cpu: string;
  readonly system: string;
  readonly version: string | undefined;
}

function machineOf(platform: string): Machine {
  const [cpu = "", system, version] = platform.replace(/-gnu$/, "").split("-");
  // `java`, `mingw32`: the system alone.
  if (system === undefined) return { cpu: "", system: cpu, version: undefined };
  const [, name = system, number] = /^(darwin|mingw|mswin)(\d+)?$/.exec(system) ?? [];
  return { cpu: /^i\d86$/.test(cpu) ? "x86" : cpu, system: name, version: number ?? version };
}

/** May a gem built for `offered` be used on `wanted`? */
function fits(offered: string, wanted: string): boolean {
  if (offered === wanted) return true;
  if (wanted === "ruby") return false;
  const [gem, machine] = [machineOf(offered), machineOf(wanted)];
  return (
    gem.system === machine.system &&
    (gem.cpu === machine.cpu || gem.cpu === "" || gem.cpu === "universal") &&
    (gem.version === undefined || gem.version === machine.version)
  );
}
