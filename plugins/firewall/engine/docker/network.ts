/** The network `awf-net` of all runs. It carries no packets; it tells the engine which containers belong together. */
import { type EngineApi, EngineRefusal } from "./api.js";
import { networkName } from "./containers.js";

interface Network {
  readonly Id: string;
  readonly Name: string;
  readonly Created: string;
  readonly Labels: Readonly<Record<string, string>> | null;
}

const mark = "dev.reeve.awf.network";

/** Creates the network if it does not exist. Resolves with its id. */
export async function provideNetwork(api: EngineApi): Promise<string> {
  const [found] = await networks(api);
  if (found) return found.Id;
  const made = await makeNetwork(api);
  // Two simultaneous runs may each create one, which engines do not prevent. The first one stays.
  const [first, ...others] = await networks(api);
  if (others.some(({ Id }) => Id === made)) await api.askGently("DELETE", `/networks/${made}`);
  return first?.Id ?? made ?? networkName;
}

/** Its id; undefined if another run was faster. */
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

/** Removes the network if awf created it and no run uses it. */
export async function removeNetwork(api: EngineApi): Promise<void> {
  for (const { Id, Labels } of await networks(api)) {
    if (Labels?.[mark]) await api.askGently("DELETE", `/networks/${Id}`);
  }
}

async function networks(api: EngineApi): Promise<Network[]> {
  const filters = encodeURIComponent(JSON.stringify({ name: [networkName] }));
  const found = await api.ask<Network[]>("GET", `/networks?filters=${filters}`);
  // The filter also matches parts of names.
  const order = ({ Created, Id }: Network) => `${Created} ${Id}`;
  return found
    .filter(({ Name }) => Name === networkName)
    .sort((one, other) => (order(one) < order(other) ? -1 : 1));
}
