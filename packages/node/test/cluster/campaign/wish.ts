/**
 * What the words of the campaign's command line ask for.
 */
export interface CampaignWish {
  readonly names: readonly string[];
  readonly minutes: number;
}

const MINUTES = 15;

/** Throws if a word is no stage. */
export function readWish(words: readonly string[], known: readonly string[]): CampaignWish {
  const names: string[] = [];
  let minutes = MINUTES;
  const rest = [...words];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--minutes') minutes = Number(rest.shift());
    else if (known.includes(word)) names.push(word);
    else throw new Error(`there is no stage ${word}; there are ${known.join(' ')}`);
  }
  if (!(minutes > 0)) throw new Error('--minutes needs a number');
  return { names: names.length === 0 ? known : names, minutes };
}
