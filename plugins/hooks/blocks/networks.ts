/** Lists of addresses and networks. */
import { c } from "reeve/plugin";
import { badNetwork } from "../decide/client-address.js";

export const networks = () =>
  c
    .list(c.string(), { minItems: 1, maxItems: 1000 })
    .check((list) => list.map(badNetwork).find((complaint) => complaint !== undefined));

/** For proxies: `unix` stands for a unix socket. */
export const proxies = () =>
  c.list(c.string(), { minItems: 1, maxItems: 1000 }).check((list) =>
    list
      .filter((each) => each !== "unix")
      .map(badNetwork)
      .find((complaint) => complaint !== undefined),
  );
