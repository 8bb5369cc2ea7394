/**
 * Every schedule of a small committee with twins, by number: which validator runs twice, who restarts, and how the
 * processes are divided in each of the first rounds of one height. A number always means the same schedule.
 */

/** The side of each process while a round lasts: those on one side hear each other. */
export type Sides = readonly number[];

export interface TwinsBounds {
  /** Of equal stake; four or five, so that one of them is below a third. */
  readonly validators: number;
  /** Rounds with a division of their own; later ones are whole. */
  readonly rounds: number;
  /** Into how many sides the processes are divided at most. */
  readonly sides: number;
}

export interface TwinsSchedule {
  readonly number: number;
  /** The validator that runs twice; its second process is the last of all processes. */
  readonly twin: number;
  /** The validator whose process ends, and starts again from its disk, when it leaves the first round. */
  readonly restarted: number | undefined;
  readonly divisions: readonly Sides[];
}

/** All ways to divide processes that differ in who hears whom: a side is named by its first process. */
export function divisionsOf(processes: number, sides: number): Sides[] {
  let divisions: number[][] = [[]];
  for (let place = 0; place < processes; place++)
    divisions = divisions.flatMap((division) => {
      const used = Math.max(-1, ...division) + 1;
      const choices = Math.min(used + 1, sides);
      return Array.from({ length: choices }, (_, side) => [...division, side]);
    });
  return divisions;
}

export class TwinsSchedules {
  readonly bounds: TwinsBounds;
  readonly #divisions: readonly Sides[];

  constructor(bounds: TwinsBounds) {
    this.bounds = bounds;
    this.#divisions = divisionsOf(bounds.validators + 1, bounds.sides);
  }

  get divisions(): number {
    return this.#divisions.length;
  }

  get count(): number {
    const { validators, rounds } = this.bounds;
    return validators * validators * this.divisions ** rounds;
  }

  /** The divisions are the lowest digits of a number, then who restarts, then who runs twice. */
  at(number: number): TwinsSchedule {
    const { validators, rounds } = this.bounds;
    let rest = number;
    const digit = (base: number): number => {
      const value = rest % base;
      rest = Math.floor(rest / base);
      return value;
    };
    const divisions = Array.from(
      { length: rounds },
      () => this.#divisions[digit(this.divisions)] as Sides,
    );
    const restarted = digit(validators);
    const twin = digit(validators);
    // The validator that runs twice is not restarted: its digit stands for nobody.
    return { number, twin, restarted: restarted === twin ? undefined : restarted, divisions };
  }
}
