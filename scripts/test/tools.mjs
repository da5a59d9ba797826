// What tests need besides npm's packages. In CI everything is brought; elsewhere only what goes below node_modules: system
// packages are the person's.
import { bun } from "../bun.mjs";
import { dotnetSdk } from "../dotnet-sdk.mjs";
import { elixirHex } from "../elixir-hex.mjs";
import { pnpm12 } from "../pnpm-12.mjs";
import { ensureSystemPackages } from "../system-packages.mjs";
import { testPrograms } from "../test-programs.mjs";

const fromRegistry = [pnpm12, bun, dotnetSdk, testPrograms];

/** Returns the system packages that are missing. In CI nothing may be. */
export function prepareTools() {
  const { CI } = process.env;
  // The npm registry comes first: system packages may change the machine's trusted certificates.
  if (CI) for (const bring of fromRegistry) attempt(bring);
  const missing = ensureSystemPackages({ install: CI !== undefined && CI !== "" });
  if (CI && missing.length > 0) {
    process.stderr.write(
      `In CI nothing may be skipped, and these are missing: ${missing.join(", ")}.\n`,
    );
    process.exit(1);
  }
  // A compiler may have been missing before; a test that needs one of these reports its absence again.
  for (const bring of [...fromRegistry, elixirHex]) {
    const complaint = attempt(bring);
    if (complaint === undefined) continue;
    process.stderr.write(`${complaint}\n`);
    if (CI) process.exit(1);
  }
  return missing;
}

/** Why it failed. */
function attempt(bring) {
  try {
    bring();
    return undefined;
  } catch (thrown) {
    return thrown.message;
  }
}
