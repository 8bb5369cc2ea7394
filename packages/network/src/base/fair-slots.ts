/**
 * Connection slots for connections that have yet to prove something and cost next to nothing. When all are taken, a
 * newcomer gets a slot of the range of addresses that has the most: at once if that range has more than the
 * newcomer's would have then, otherwise when its oldest has had its time. A few ranges therefore keep no other range
 * out, however often they come back, and a single connection of a range is not displaced by crowded ranges.
 */
import type { Clock } from 'svc-base/pure';

export interface FairSlotsOptions<Occupant> {
  /** How long a slot is safe from others of the same or of a larger range. */
  readonly placeMillis: number;
  /** The most slots of one range; no limit if absent. */
  readonly perRangeMax?: number;
  readonly isFull: (taken: number) => boolean;
  /** Called with the connection that has to close. */
  readonly end: (occupant: Occupant) => void;
  readonly clock: Pick<Clock, 'monotonic'>;
}

interface Place<Occupant> {
  readonly occupant: Occupant;
  readonly range: string;
  readonly sinceMillis: number;
}

/** The cost of admitting a connection: none, that another one closes, or that it is impossible. */
type Room<Occupant> = { readonly yielding: Occupant | undefined } | undefined;

export class FairSlots<Occupant> {
  readonly #options: FairSlotsOptions<Occupant>;
  /** In the order of arrival. */
  readonly #places = new Map<Occupant, Place<Occupant>>();

  constructor(options: FairSlotsOptions<Occupant>) {
    this.#options = options;
  }

  get occupants(): Occupant[] {
    return [...this.#places.keys()];
  }

  /** Whether a connection of this range could be admitted now. */
  hasRoomFor(range: string): boolean {
    return this.#roomFor(range) !== undefined;
  }

  /** Admits a connection of this range, evicting another if needed; returns whether it did. */
  enter(occupant: Occupant, range: string): boolean {
    const room = this.#roomFor(range);
    if (room === undefined) return false;
    const { yielding } = room;
    if (yielding !== undefined) {
      this.leave(yielding);
      this.#options.end(yielding);
    }
    const sinceMillis = this.#options.clock.monotonic();
    this.#places.set(occupant, { occupant, range, sinceMillis });
    return true;
  }

  leave(occupant: Occupant): void {
    this.#places.delete(occupant);
  }

  #roomFor(range: string): Room<Occupant> {
    const { perRangeMax = Number.POSITIVE_INFINITY, isFull } = this.#options;
    const places = [...this.#places.values()];
    const own = places.filter((place) => place.range === range);
    if (own.length >= perRangeMax) return this.#afterItsTime(own[0]);
    if (!isFull(places.length)) return { yielding: undefined };
    const counts = new Map<string, number>();
    for (const place of places) counts.set(place.range, (counts.get(place.range) ?? 0) + 1);
    const most = Math.max(0, ...counts.values());
    const crowd = places.filter((place) => counts.get(place.range) === most);
    const youngest = crowd.at(-1);
    const room = this.#afterItsTime(crowd[0]);
    if (room !== undefined || youngest === undefined || most <= own.length + 1) return room;
    return { yielding: youngest.occupant };
  }

  #afterItsTime(place: Place<Occupant> | undefined): Room<Occupant> {
    const { placeMillis, clock } = this.#options;
    if (place === undefined || place.sinceMillis + placeMillis > clock.monotonic())
      return undefined;
    return { yielding: place.occupant };
  }
}
