/**
 * `svcd validator-endpoint`: the overlay keys of a validator, and the endpoint that it registers.
 */
import { join } from 'node:path';
import { CliError, EXIT, note, result } from 'svc-base/cli';
import { openOverlayEndpoint, ROUTES_MAX } from 'svc-network/endpoint';
import { init } from 'svc-wasm';
import { type Network, toHex } from 'svc-wasm/base';
import type { Bind } from '../../config/bind.ts';
import { parseHostPort } from '../../config/http-names.ts';
import { OVERLAY_PORTS } from '../../config/resolve.ts';
import type { CommandOptions } from '../config-options.ts';
import { configOf } from '../load-config.ts';

export async function printEndpoint(options: CommandOptions): Promise<void> {
  const { config } = configOf(options);
  const routes = routesOf(options, config.network);
  await init();
  const directory = join(config.dataDir, 'network', 'validator-overlay');
  const endpoint = await openOverlayEndpoint(directory, routes);
  note(`keys in ${directory}; one machine alone may use them`);
  result(toHex(endpoint));
}

/** The routes that a command was given with `--route`. */
export function routesOf(options: CommandOptions, network: Network): Bind[] {
  const given = (options['route'] ?? []) as readonly string[];
  if (given.length > ROUTES_MAX) {
    throw new CliError(
      EXIT.usage,
      `--route: expected at most ${ROUTES_MAX}, found ${given.length}`,
    );
  }
  return given.map((text) => parseRoute(text, OVERLAY_PORTS[network]));
}

function parseRoute(text: string, defaultPort: number): Bind {
  const route = parseHostPort(text, defaultPort);
  if (route !== undefined) return route;
  throw new CliError(EXIT.usage, `--route: expected host or host:port, found ${text}`);
}
