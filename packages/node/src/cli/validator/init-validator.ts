/**
 * `svcd validator init`: everything that a validator needs before the chain knows it, and the one file that it sends
 * to whoever makes the genesis.
 */
import { join } from 'node:path';
import { CliError, EXIT, note, result, resultJson } from 'svc-base/cli';
import { COMMISSION_BPS_MAX, COMMISSION_BPS_STEP, SELF_BOND_MIN } from 'svc-ledger';
import { openOverlayEndpoint, ROUTES_MAX } from 'svc-network/endpoint';
import { formatAmount, init, parseAmount } from 'svc-wasm';
import { decodeAddress, type Network, toHex } from 'svc-wasm/base';
import { type Bind, parseHostPort } from '../../config/bind.ts';
import { OVERLAY_PORTS } from '../../config/resolve.ts';
import type { CommandOptions } from '../config-options.ts';
import { refusing } from '../genesis/application.ts';
import { configOf } from '../load-config.ts';
import { makeValidatorFolder } from './validator-folder.ts';

/**
 * `svcd validator-endpoint`: the overlay keys of a validator, and the endpoint that it registers.
 */
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
function routesOf(options: CommandOptions, network: Network): Bind[] {
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

export async function initValidator(options: CommandOptions): Promise<void> {
  const { config } = configOf(options, false);
  const { network, dataDir: directory } = config;
  await init();
  const ownerAddress = addressOf(options['owner'], '--owner', network);
  const routes = routesOf(options, network);
  const made = await makeValidatorFolder({
    directory,
    network,
    routes,
    ownerAddress,
    rewardAddress:
      options['reward'] === undefined
        ? ownerAddress
        : addressOf(options['reward'], '--reward', network),
    amountAtoms: stakeOf(String(options['stake'])),
    commissionBps: commissionOf(String(options['commissionBps'])),
    settings: {},
  });
  if (options['json'] === true) {
    return resultJson({
      application: made.applicationFile,
      fee_address: made.feeAddress,
      consensus_public_key: made.consensusPublicKey,
    });
  }
  note(`keys, passwords and settings are in ${directory}; keep a copy of keys/ offline`);
  note(`heartbeats are paid from ${made.feeAddress}`);
  if (routes.length === 0) note('no --route was given: others cannot dial this validator');
  note('send this file to whoever makes the genesis; nothing in it is secret:');
  result(made.applicationFile);
}

function addressOf(text: unknown, option: string, network: Network): string {
  if (typeof text !== 'string')
    throw new CliError(EXIT.usage, `${option}: an address of your wallet is needed`);
  refusing(() => decodeAddress(text, network, option));
  return text;
}

function stakeOf(text: string): bigint {
  const atoms = BigInt(refusing(() => parseAmount(text), '--stake: '));
  if (atoms >= SELF_BOND_MIN) return atoms;
  const least = formatAmount(String(SELF_BOND_MIN));
  throw new CliError(EXIT.usage, `--stake: expected at least ${least} coins, found ${text}`);
}

function commissionOf(text: string): number {
  const bps = /^[0-9]{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (bps <= COMMISSION_BPS_MAX && bps % COMMISSION_BPS_STEP === 0) return bps;
  throw new CliError(
    EXIT.usage,
    `--commission-bps: expected 0 to ${COMMISSION_BPS_MAX} in steps of ${COMMISSION_BPS_STEP}, found ${text}`,
  );
}
