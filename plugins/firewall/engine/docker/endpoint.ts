/** The address of this machine's Docker engine. */
import { existsSync } from "node:fs";
import { FirewallError } from "../../errors.js";

const usual = "/var/run/docker.sock";

/**
 * The engine's socket: the one that an address or `DOCKER_HOST` names, or the default.
 * @throws {FirewallError} `engine_elsewhere`: the proxy must enter the container's network, so the engine must be on
 * this machine
 */
export function engineSocket(written = process.env.DOCKER_HOST): string {
  if (!written) return usual;
  const [, path] = /^unix:\/\/(\/.+)$/.exec(written) ?? [];
  if (path !== undefined) return path;
  throw new FirewallError(
    "engine_elsewhere",
    `DOCKER_HOST or --docker-host names an engine that awf cannot use: ${written}. The engine has to be on this machine: unix:///path/of/the/socket`,
  );
}

/** Whether an engine seems usable for this user. */
export function hasEngine(environment: NodeJS.ProcessEnv = process.env): boolean {
  const path = environment.DOCKER_HOST?.replace(/^unix:\/\//, "") || usual;
  return process.getuid?.() === 0 && existsSync(path);
}
