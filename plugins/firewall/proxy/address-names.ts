/** The names that a sandbox resolved to an address: a connection on a listed port does not say its name. */
import type { IpAddress } from "../policy/address.js";
import { readHosts } from "./resolver.js";

const mostAddresses = 4096;
const mostNames = 16;

export class AddressNames {
  readonly #names = new Map<IpAddress, string[]>();
  readonly #hostsFile: string;
  #hosts: Map<string, string[]> | undefined;

  constructor(hostsFile = "/etc/hosts") {
    this.#hostsFile = hostsFile;
  }

  add(address: IpAddress, name: string): void {
    if (this.#names.size >= mostAddresses && !this.#names.has(address)) this.#names.clear();
    const others = (this.#names.get(address) ?? []).filter((other) => other !== name);
    this.#names.set(address, [name, ...others].slice(0, mostNames));
  }

  /** The last resolved name first, then those of the host's own hosts file. */
  namesOf(address: IpAddress): readonly string[] {
    this.#hosts ??= readHosts(this.#hostsFile);
    const listed = [...this.#hosts].filter(([, addresses]) => addresses.includes(address));
    return [...(this.#names.get(address) ?? []), ...listed.map(([name]) => name)];
  }
}
