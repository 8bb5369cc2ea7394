/**
 * What a state of the system shows to the outside: who has signed what, up to the names that may be
 * exchanged. Two ways of exploring reach the same if they reach the same projections.
 */
import type { Renaming } from './symmetry.ts';
import { renameSaying } from './symmetry.ts';
import { HONEST, SAYINGS } from './universe.ts';

export function projectionOf(sent: readonly number[], renamings: readonly Renaming[]): string {
  let least = String(sent);
  for (const renaming of renamings) {
    const image: number[] = [];
    for (const place of HONEST)
      image[renaming.validators[place] as number] = renameSent(sent[place] as number, renaming);
    const text = String(image);
    if (text < least) least = text;
  }
  return least;
}

function renameSent(sent: number, renaming: Renaming): number {
  let renamed = 0;
  for (let index = 0; index < SAYINGS.length; index++)
    if (sent & (1 << index)) renamed |= 1 << renameSaying(index, renaming);
  return renamed;
}
