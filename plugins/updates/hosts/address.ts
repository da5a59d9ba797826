import type { NamedRepo } from "../store/repos.js";
import type { CodeHost } from "./contract.js";
import { EmbeddedHost } from "./embedded/embedded.js";

/** The clone address: this daemon's for embedded repositories, else the host's. */
export const addressOf = (host: CodeHost, repo: NamedRepo): string =>
  host instanceof EmbeddedHost ? host.addressOf(repo.login, repo.name) : repo.url;
