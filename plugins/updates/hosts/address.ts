import type { NamedRepo } from "../store/repos.js";
import type { CodeHost } from "./contract.js";
import { EmbeddedHost } from "./embedded/embedded.js";

/** Where a repository is had from: ours by the daemon that is asked, others as their host says. */
export const addressOf = (host: CodeHost, repo: NamedRepo): string =>
  host instanceof EmbeddedHost ? host.addressOf(repo.login, repo.name) : repo.url;
