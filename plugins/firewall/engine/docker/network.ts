/** The network `awf-net` that all runs share. No packet of theirs crosses it: it says to the engine who belongs together. */
import { type EngineApi, EngineRefusal } from "./api.js";
import { networkName } from "./containers.js";

interface Network {
  readonly Id: string;
  readonly Name: string;
  readonly Created: string;
  readonly Labels: Readonly<Record<string, string>> | null;
}

const mark = "dev.reeve.awf.network";

/** Makes it where it is not there. Resolves with its id. */
export async function provideNetwork(api: EngineApi): Promise<string> {
  const [found] = await networks(api);
  if (found) return found.Id;
  const made = await makeNetwork(api);
  // Two runs at once may have made one each: engines find out too late. The first of them stays.
  const [first, ...others] = await networks(api);
  if (others.some(({ Id }) => Id === made)) await api.askGently("DELETE", `/networks/${made}`);
  return first?.Id ?? made ?? networkName;
}

/** Its id; undefined where somebody else was faster. */
async function makeNetwork(api: EngineApi): Promise<string | undefined> {
  const body = {
    Name: networkName,
    Driver: "bridge",
    Internal: true,
    CheckDuplicate: true,
    Labels: { [mark]: "1" },
  };
  try {
    return (await api.ask<{ Id: string }>("POST", "/networks/create", { body })).Id;
  } catch (thrown) {
    if (thrown instanceof EngineRefusal && thrown.status === 409) return undefined;
    throw thrown;
  }
}

/** Removes it unless somebody else made it, or another run is in it. */
export async function removeNetwork(api: EngineApi): Promise<void> {
  for (const { Id, Labels } of await networks(api)) {
    if (Labels?.[mark]) await api.askGently("DELETE", `/networks/${Id}`);
  }
}

async function networks(api: EngineApi): Promise<Network[]> {
  const filters = encodeURIComponent(JSON.stringify({ name: [networkName] }));
  const found = await api.ask<Network[]>("GET", `/networks?filters=${filters}`);
  // The filter finds parts of names, too.
  const order = ({ Created, Id }: Network) => `${Created} ${Id}`;
  return found
    .filter(({ Name }) => Name === networkName)
    .sort((one, other) => (order(one) < order(other) ? -1 : 1));
}
