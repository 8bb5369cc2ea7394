/**
 * The command line of the simulator.
 */
import { parseArgs } from 'node:util';
import {
  COMMITTEE_FAULT_NAMES,
  EPOCH_FAULT_NAMES,
  FAULT_NAMES,
  type FaultName,
  FIRST_START_FAULT_NAMES,
  NODE_FAULT_NAMES,
  PEER_FAULT_NAMES,
  PEST_NAMES,
} from '../plan/plan.ts';
import type { CampaignOptions } from './campaign.ts';

const RARE_FAULTS = [
  ...COMMITTEE_FAULT_NAMES,
  ...PEER_FAULT_NAMES,
  ...PEST_NAMES,
  ...EPOCH_FAULT_NAMES,
  ...FIRST_START_FAULT_NAMES,
] as const;
const WHOLE_NODE_FAULTS = [...NODE_FAULT_NAMES, ...RARE_FAULTS] as const;

export const USAGE: string = `npm run simulate -- [options]

  --level NAME            finality: agreement alone; ledger: with the real ledger;
                          node: whole nodes with chain and block pool;
                          signer: a remote signer and its nodes; twins: one key runs twice, by
                          the number of the schedule; explore: every state of one or two
                          heights of four validators (default finality)
  --seeds N               how many seeds (default 1000)
  --from S                the first seed (default 1)
  --seed S                one seed, with its plan printed
  --validators A..B       how many validators (default 4..7)
  --without a,b           classes of faults to leave out: ${FAULT_NAMES.join(', ')};
                          of the ledger and of whole nodes also: ${WHOLE_NODE_FAULTS.join(', ')}
  --always a,b            faults of the ledger and of whole nodes that every seed has: ${RARE_FAULTS.join(', ')}
  --safety-ms N           the longest safety phase
  --mutant NAME           break one rule on purpose (see src/mutants/mutants.ts, for node src/full/node-rules.ts)
  --failures N            stop after so many failing seeds (default 1)
  --record                add what was run to docs/reports/campaigns.md; for seeds that are not there yet
`;

export const LEVEL_NAMES = ['finality', 'ledger', 'node', 'signer', 'twins', 'explore'] as const;
export type LevelName = (typeof LEVEL_NAMES)[number];

export interface Arguments {
  readonly level: LevelName;
  readonly campaign: CampaignOptions;
  readonly isSingle: boolean;
  readonly mutant: string | undefined;
  /** Whether the campaign goes on record. */
  readonly isRecorded: boolean;
}

export function readArguments(args: readonly string[]): Arguments | string {
  try {
    return parse(args);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function parse(args: readonly string[]): Arguments {
  const { values } = parseArgs({
    args: [...args],
    options: {
      level: { type: 'string', default: 'finality' },
      seeds: { type: 'string', default: '1000' },
      from: { type: 'string', default: '1' },
      seed: { type: 'string' },
      validators: { type: 'string', default: '4..7' },
      without: { type: 'string', default: '' },
      always: { type: 'string', default: '' },
      'safety-ms': { type: 'string' },
      mutant: { type: 'string' },
      failures: { type: 'string', default: '1' },
      record: { type: 'boolean', default: false },
    },
  });
  const level = LEVEL_NAMES.find((name) => name === values.level);
  if (level === undefined)
    throw new Error(`level ${values.level} is not known: ${LEVEL_NAMES.join(', ')}`);
  const [low, high] = values.validators.split('..').map((text) => whole(text, 'validators', 1, 64));
  const safetyMs = values['safety-ms'];
  const campaign: CampaignOptions = {
    validatorsMin: low ?? 4,
    validatorsMax: high ?? low ?? 4,
    without: new Set(namesIn(values.without).map((name) => faultName(name, 'without', ALL_FAULTS))),
    always: new Set(namesIn(values.always).map((name) => faultName(name, 'always', RARE_FAULTS))),
    ...(safetyMs === undefined ? {} : { safetyMsMax: whole(safetyMs, 'safety-ms', 1, 1e9) }),
    from: whole(values.seed ?? values.from, 'seed', 0, Number.MAX_SAFE_INTEGER),
    seeds: values.seed === undefined ? whole(values.seeds, 'seeds', 1, 1e9) : 1,
    failuresMax: whole(values.failures, 'failures', 1, 1e6),
    repeatEvery: values.seed === undefined ? 50 : 1,
  };
  const { mutant, record: isRecorded } = values;
  const isSingle = values.seed !== undefined;
  if (isRecorded && (isSingle || mutant !== undefined || safetyMs !== undefined))
    throw new Error('--record: only whole campaigns of the unbroken protocol go on record');
  return { level, campaign, isSingle, mutant, isRecorded };
}

function whole(text: string, name: string, low: number, high: number): number {
  const value = Number(text);
  if (!/^[0-9]+$/.test(text) || value < low || value > high)
    throw new Error(`--${name}: expected a whole number from ${low} to ${high}, found ${text}`);
  return value;
}

const ALL_FAULTS = [...FAULT_NAMES, ...WHOLE_NODE_FAULTS] as const;

function namesIn(list: string): string[] {
  return list.split(',').filter(Boolean);
}

function faultName(text: string, option: string, names: readonly FaultName[]): FaultName {
  const name = names.find((known) => known === text);
  if (name === undefined) throw new Error(`--${option}: ${text} is not one of ${names.join(', ')}`);
  return name;
}
