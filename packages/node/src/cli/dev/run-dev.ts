/**
 * `svcd dev`: reads the options of a development network, then serves it.
 */
import { resolve } from 'node:path';
import { CliError, EXIT } from 'svc-base/cli';
import { DEVELOPMENT_ACCOUNTS } from 'svc-ledger';
import { BRIDGE_PORTS_AT, type DevOptions } from '../../dev/dev-config.ts';
import { type CommandOptions, DEV_LOG_FILTER, wholeNumber } from '../config-options.ts';
import { configOf } from '../load-config.ts';

const PORT_MAX = 65_535 - BRIDGE_PORTS_AT.webSocket;

export async function runDev(options: CommandOptions): Promise<void> {
  const startedAt = performance.now();
  const { config, settings } = configOf(options, false);
  const filter = settings.isGiven('log.filter') ? config.log.filter : DEV_LOG_FILTER;
  const devOptions: DevOptions = {
    cutTime: parseCutTime(String(options['cutTime'])),
    validators: wholeNumber(String(options['validators']), '--validators', [
      1,
      DEVELOPMENT_ACCOUNTS,
    ]),
    port: wholeNumber(String(options['port']), '--port', [0, PORT_MAX]),
    stateDir: typeof options['state'] === 'string' ? resolve(options['state']) : null,
    wallet: options['wallet'] !== false,
    miner: options['miner'] !== false,
    bridge: options['bridge'] === true,
    browserOrigins: config.http.browserOrigins,
    ui: config.http.ui,
  };
  const { configOut } = options;
  const { serveDev } = await import('./serve-dev.ts');
  return serveDev(devOptions, {
    log: { ...config.log, filter },
    configOut: typeof configOut === 'string' ? resolve(configOut) : null,
    json: options['json'] === true,
    startedAt,
  });
}

const CUT_MILLIS_MIN = 50;
const CUT_MILLIS_MAX = 60_000;

/** The value of `--cut-time`. */
export function parseCutTime(text: string): number | 'auto' | 'manual' {
  if (text === 'auto' || text === 'manual') return text;
  const [, count, unit] = /^([0-9]{1,6}(?:\.[0-9]{1,3})?)(ms|s)$/.exec(text) ?? [];
  const millis = Number(count) * (unit === 's' ? 1_000 : 1);
  if (Number.isInteger(millis) && millis >= CUT_MILLIS_MIN && millis <= CUT_MILLIS_MAX)
    return millis;
  throw new CliError(
    EXIT.usage,
    `--cut-time: expected auto, manual or a time from ${CUT_MILLIS_MIN}ms to ${CUT_MILLIS_MAX / 1_000}s, found ${text}`,
  );
}
