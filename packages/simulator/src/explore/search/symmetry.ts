/**
 * States that differ only in names are one state. Names may be exchanged where nothing in the world
 * tells them apart: two honest validators that propose in none of its rounds, and the two cuts if
 * both are valid. A renamed state is made by replaying its history with the other names.
 */
import type { NodeTable } from './node-table.ts';
import {
  BUILD_EVENTS,
  buildEvent,
  CERTIFIED,
  certificateEvent,
  HONEST,
  MESSAGE_EVENTS,
  messageEvent,
  NIL_CUT,
  SAYINGS,
  type Saying,
  sayingOf,
  TIMER_EVENTS,
  type World,
} from './universe.ts';

export interface Renaming {
  /** The new name of each honest validator. */
  readonly validators: readonly number[];
  readonly swapsCuts: boolean;
}

/** All renamings but the one that changes nothing. */
export function renamingsOf(world: World): Renaming[] {
  const proposers = world.proposers.slice(0, world.rounds);
  const equals = HONEST.filter((index) => !proposers.includes(index));
  const [one, other] = equals;
  const orders: number[][] = [[...HONEST]];
  if (one !== undefined && other !== undefined)
    orders.push(HONEST.map((index) => (index === one ? other : index === other ? one : index)));
  const swaps = world.isSecondValid ? [false, true] : [false];
  return orders
    .flatMap((validators) => swaps.map((swapsCuts) => ({ validators, swapsCuts })))
    .slice(1);
}

/**
 * States that differ only in names are one state. Names may be exchanged where nothing in the world
 * tells them apart: two honest validators that propose in none of its rounds, and the two cuts if
 * both are valid. A renamed state is made by telling its history again with the other names.
 */
export class Symmetry {
  readonly #table: NodeTable;
  readonly renamings: readonly Renaming[];
  readonly #images: number[][];

  constructor(table: NodeTable, renamings: readonly Renaming[]) {
    this.#table = table;
    this.renamings = renamings;
    this.#images = renamings.map(() => []);
  }

  /** The smallest of a state's images. */
  canonical(state: readonly [number, number, number]): readonly [number, number, number] {
    let least = state;
    for (let which = 0; which < this.renamings.length; which++) {
      const image = this.#imageOf(state, which);
      if (isBefore(image, least)) least = image;
    }
    return least;
  }

  #imageOf(state: readonly number[], which: number): [number, number, number] {
    const { validators } = this.renamings[which] as Renaming;
    const image: [number, number, number] = [0, 0, 0];
    for (const place of HONEST)
      image[validators[place] as number] = this.#node(state[place] as number, which);
    return image;
  }

  #node(number: number, which: number): number {
    const images = this.#images[which] as number[];
    const known = images[number];
    if (known !== undefined) return known;
    const { parent, event, self } = this.#table.at(number);
    const renaming = this.renamings[which] as Renaming;
    const image =
      parent === -1
        ? (this.#table.initial[renaming.validators[self] as number] as number)
        : this.#table.after(this.#node(parent, which), renameEvent(event, renaming));
    images[number] = image;
    return image;
  }
}

function renameEvent(event: number, renaming: Renaming): number {
  if (event < MESSAGE_EVENTS) {
    const from = Math.floor(event / SAYINGS.length);
    const index = renameSaying(event % SAYINGS.length, renaming);
    return messageEvent(renaming.validators[from] ?? from, index);
  }
  if (event < TIMER_EVENTS)
    return certificateEvent(renameSaying(CERTIFIED[event - MESSAGE_EVENTS] as number, renaming));
  if (event < BUILD_EVENTS) return event;
  return buildEvent(renameCut(event - BUILD_EVENTS, renaming));
}

export function renameSaying(index: number, renaming: Renaming): number {
  const { slot, round, cut, validRound } = SAYINGS[index] as Saying;
  return sayingOf(slot, round, renameCut(cut, renaming), validRound);
}

function renameCut(cut: number, { swapsCuts }: Renaming): number {
  return swapsCuts && cut !== NIL_CUT ? 1 - cut : cut;
}

function isBefore(a: readonly number[], b: readonly number[]): boolean {
  for (const place of HONEST) {
    const difference = (a[place] as number) - (b[place] as number);
    if (difference !== 0) return difference < 0;
  }
  return false;
}
