/**
 * `svcd genesis make`: the document that a chain starts from. It is put together as JSON and then read back by
 * the same strict reader that a node uses, so nothing that a node would refuse is ever written.
 */
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { CliError, EXIT, note, result } from 'svc-base/cli';
import { replaceFileSync } from 'svc-base/node';
import {
  chainIdOf,
  formatGenesis,
  GENESIS_SUPPLY,
  LEDGER_PARAMETERS,
  parseGenesis,
} from 'svc-ledger';
import { init, parseAmount } from 'svc-wasm';
import { expectNetwork, type Network, parseJson, SvcError } from 'svc-wasm/base';
import { hashLabel } from 'svc-wasm/protocol';
import { readApplications } from './add-applications.ts';
import {
  type Application,
  expectDistinct,
  refusing,
  shortName,
  validatorEntry,
} from './application.ts';

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?Z$/;
const AHEAD = /^\+([1-9][0-9]{0,5})(s|m|h|d)$/;
const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const EXAMPLES = 'such as 2027-01-31T12:00:00Z, or +15m for a quarter of an hour from now';

/** Milliseconds since 1970; refuses what is not in the future. */
export function parseStartTime(text: string | undefined, nowMillis: number): number {
  if (text === undefined) {
    throw new CliError(EXIT.usage, `--start: the time at which the chain begins, ${EXAMPLES}`, {
      hint: 'give every validator time to fetch the document and to start; who starts later joins then',
    });
  }
  const millis = millisOf(text, nowMillis);
  if (millis === undefined || Number.isNaN(millis))
    throw new CliError(EXIT.usage, `--start: expected a time, ${EXAMPLES}, found ${text}`);
  if (millis <= nowMillis)
    throw new CliError(EXIT.usage, `--start: expected a time in the future, found ${text}`);
  return millis;
}

function millisOf(text: string, nowMillis: number): number | undefined {
  if (INSTANT.test(text)) return Date.parse(text);
  const [, count, unit] = AHEAD.exec(text) ?? [];
  if (unit === undefined) return undefined;
  return nowMillis + Number(count) * UNITS[unit as keyof typeof UNITS];
}

export interface MakeOptions {
  readonly network?: string;
  readonly output?: readonly string[];
  /** The folder that `svcd genesis add` filled. */
  readonly applications?: string;
  readonly validator?: readonly string[];
  readonly heartbeatCoins?: string;
  readonly rest?: string;
  readonly start?: string;
  readonly paceMillis?: string;
  readonly workTarget?: string;
  readonly out?: string;
}

/** What the fee address of each application gets for its heartbeats: enough for years at the least rate. */
const HEARTBEAT_COINS = '100';
const PACE_MILLIS = 2_500;
const DEVELOPMENT_PACE_MILLIS = 500;

export async function makeGenesisFile(options: MakeOptions): Promise<void> {
  await init();
  const timeMillis = parseStartTime(options.start, Date.now());
  const folder = options.applications;
  const applications = folder === undefined ? [] : readApplications(folder);
  const text = refusing(() => genesisText(options, applications, timeMillis));
  const chainId = chainIdOf(hashLabel, parseGenesis(text));
  if (options.out === undefined) {
    result(text);
    note(`chain id ${chainId}`);
    return;
  }
  const file = resolve(options.out);
  if (existsSync(file)) {
    throw new CliError(EXIT.refused, `${file} is there already`, {
      hint: 'a genesis is never written over; name another file or delete it first',
    });
  }
  replaceFileSync(file, text);
  result(chainId);
}

export function genesisText(
  options: MakeOptions,
  applications: readonly Application[],
  timeMillis: number,
): string {
  const network = networkOf(options.network, applications);
  expectDistinct(applications);
  const outputs = (options.output ?? []).map(outputOf);
  const amount = parseAmount(options.heartbeatCoins ?? HEARTBEAT_COINS);
  if (amount !== '0')
    outputs.push(...applications.map(({ terms }) => ({ address: terms.fee_address, amount })));
  const validators = [
    ...applications.map(validatorEntry),
    ...(options.validator ?? []).map(validatorOf),
  ];
  if (options.rest !== undefined) {
    const amount = rest([...outputs, ...validators] as { amount: string }[]);
    outputs.push({ address: options.rest, amount });
  }
  const document = {
    genesis_version: '1',
    network,
    time_millis: String(timeMillis),
    pace_millis: options.paceMillis ?? String(paceOf(network)),
    work_target: options.workTarget ?? easiest(network),
    outputs,
    validators,
  };
  return formatGenesis(parseGenesis(JSON.stringify(document)));
}

/** The network that was named, or that of the applications. */
function networkOf(named: string | undefined, applications: readonly Application[]): Network {
  const network = expectNetwork(
    named ?? applications[0]?.terms.network ?? 'development',
    '--network',
  );
  const other = applications.find(({ terms }) => terms.network !== network);
  if (other === undefined) return network;
  throw new CliError(
    EXIT.usage,
    `--network: ${network}, and the application ${shortName(other)} is for ${other.terms.network}`,
  );
}

function outputOf(text: string) {
  const [address = '', coins = '', ...more] = text.split('=');
  if (coins === '' || more.length > 0) {
    throw new CliError(EXIT.usage, `--output: expected address=coins, found ${text}`);
  }
  return { address, amount: parseAmount(coins) };
}

function validatorOf(file: string): unknown {
  try {
    return parseJson(readFileSync(file, 'utf8'), file);
  } catch (error) {
    if (error instanceof SvcError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new CliError(EXIT.failed, `--validator: ${file} cannot be read (${code})`);
  }
}

/**
 * The atoms left to give out. Invalid amounts are passed over: the reader refuses them and names their path.
 */
function rest(items: readonly { amount?: unknown }[]): string {
  const decimal = (amount: unknown) =>
    /^[0-9]{1,20}$/.test(String(amount)) ? String(amount) : '0';
  const given = items.reduce((sum, item) => sum + BigInt(decimal(item?.amount)), 0n);
  if (given < GENESIS_SUPPLY) return String(GENESIS_SUPPLY - given);
  throw new CliError(EXIT.usage, `--rest: nothing is left of ${GENESIS_SUPPLY} atoms`);
}

function paceOf(network: Network): number {
  return network === 'development' ? DEVELOPMENT_PACE_MILLIS : PACE_MILLIS;
}

function easiest(network: Network): string {
  return LEDGER_PARAMETERS[network].workTargetMax.toString(16).padStart(64, '0');
}
