/**
 * What opening a wallet file costs: the parameters of Argon2id and their bounds. What is sealed costs at least
 * what OWASP asks for, which is less memory for more passes; a file that was sealed cheaper is still opened. The
 * upper bounds keep a hostile file from asking for more memory or time than a program can give.
 */
import { Fields } from '../base/fields.ts';
import { SvcError } from '../base/svc-error.ts';

export interface WalletFileCost {
  readonly memoryKib: number;
  readonly passes: number;
  readonly lanes: number;
}

export const COST_DEFAULT: WalletFileCost = { memoryKib: 65_536, passes: 3, lanes: 1 };

/** The least memory for 1, 2, 3, 4, and 5 or more passes. */
const SEALED_KIB_MIN = [47_104, 19_456, 12_288, 9_216, 7_168] as const;
const COST_MIN: WalletFileCost = { memoryKib: 7_168, passes: 1, lanes: 1 };
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
  const fault = fileCostFault(cost) ?? sealedCostFault(cost);
  if (fault !== undefined) throw new SvcError('out_of_range', fault, { path: 'options' });
  return cost;
}

/** The reason why this cost is too low for sealing, if it is. */
function sealedCostFault({ memoryKib, passes }: WalletFileCost): string | undefined {
  const least = SEALED_KIB_MIN[passes - 1] ?? SEALED_KIB_MIN[4];
  if (memoryKib >= least) return undefined;
  return `expected memoryKib of at least ${least} for ${passes} passes, found ${memoryKib}`;
}

/** The fault of the parameters of a file, if any. */
export function fileCostFault(cost: WalletFileCost): string | undefined {
  for (const name of ['memoryKib', 'passes', 'lanes'] as const) {
    if (cost[name] >= COST_MIN[name] && cost[name] <= COST_MAX[name]) continue;
    return `expected ${name} from ${COST_MIN[name]} to ${COST_MAX[name]}, found ${cost[name]}`;
  }
  const work = cost.memoryKib * cost.passes;
  if (work <= WORK_KIB_MAX) return undefined;
  return `expected memory times passes of at most ${WORK_KIB_MAX} KiB, found ${work}`;
}
