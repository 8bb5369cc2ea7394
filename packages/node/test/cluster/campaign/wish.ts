/**
 * What the words of the campaign's command line ask for.
 */
import type { Perturbation } from './perturbations.ts';
import type { StageWish } from './stage.ts';

export interface CampaignWish extends StageWish {
  readonly names: readonly string[];
  readonly minutes: number;
}

const MINUTES = 15;
const EACH_WAY_MILLIS = 150;

/** Throws if a word is no stage, or none of so many validators. */
export function readWish(
  words: readonly string[],
  perturbations: readonly Perturbation[],
): CampaignWish {
  const flags = { minutes: MINUTES, validators: 7, 'each-way': EACH_WAY_MILLIS };
  const names: string[] = [];
  const rest = [...words];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const flag = word.startsWith('--') ? word.slice(2) : '';
    if (Object.hasOwn(flags, flag)) flags[flag as keyof typeof flags] = Number(rest.shift());
    else names.push(word);
  }
  const { minutes, validators, 'each-way': eachWayMillis } = flags;
  if (!(minutes > 0)) throw new Error('--minutes needs a number');
  if (!(eachWayMillis >= 0)) throw new Error('--each-way needs milliseconds');
  if (validators !== 4 && validators !== 7) throw new Error('--validators needs 4 or 7');
  const known = perturbations
    .filter(({ needsSeven }) => validators === 7 || needsSeven !== true)
    .map(({ name }) => name);
  for (const name of names)
    if (!known.includes(name))
      throw new Error(`there is no stage ${name}; there are ${known.join(' ')}`);
  return { names: names.length === 0 ? known : names, minutes, validators, eachWayMillis };
}
