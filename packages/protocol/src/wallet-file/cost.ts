/**
 * What opening a wallet file costs: the parameters of Argon2id and their bounds.
 * The lower bounds keep a file worth sealing; the upper ones keep a hostile file from asking for
 * more memory or time than a program can give.
 */
import { Fields } from '../base/fields.ts';
import { SvcError } from '../base/svc-error.ts';

export interface WalletFileCost {
  readonly memoryKib: number;
  readonly passes: number;
  readonly lanes: number;
}

export const COST_DEFAULT: WalletFileCost = { memoryKib: 65_536, passes: 3, lanes: 1 };

const COST_MIN: WalletFileCost = { memoryKib: 8_192, passes: 1, lanes: 1 };
const COST_MAX: WalletFileCost = { memoryKib: 262_144, passes: 16, lanes: 4 };
const WORK_KIB_MAX = 1_048_576;

/** Reads `{memory_kib?, passes?, lanes?}`, decimal strings. */
export function readCost(optionsJson: string): WalletFileCost {
  const fields = Fields.parse(optionsJson, 'options', ['memory_kib', 'passes', 'lanes']);
  const read = (name: string, otherwise: number): number =>
    fields.has(name) ? Number(fields.decimal(name, { max: 0xffff_ffffn })) : otherwise;
  const cost = {
    memoryKib: read('memory_kib', COST_DEFAULT.memoryKib),
    passes: read('passes', COST_DEFAULT.passes),
    lanes: read('lanes', COST_DEFAULT.lanes),
  };
  const fault = costFault(cost);
  if (fault !== undefined) throw new SvcError('out_of_range', fault, { path: 'options' });
  return cost;
}

/** Says what is wrong with the parameters, or nothing. */
export function costFault(cost: WalletFileCost): string | undefined {
  for (const name of ['memoryKib', 'passes', 'lanes'] as const) {
    if (cost[name] >= COST_MIN[name] && cost[name] <= COST_MAX[name]) continue;
    return `expected ${name} from ${COST_MIN[name]} to ${COST_MAX[name]}, found ${cost[name]}`;
  }
  const work = cost.memoryKib * cost.passes;
  if (work <= WORK_KIB_MAX) return undefined;
  return `expected memory times passes of at most ${WORK_KIB_MAX} KiB, found ${work}`;
}
