/**
 * The links of a validator, at most one for each other validator. Every neighbour is sent the list of the others.
 */
import { type Clock, type Log, messageOf } from 'svc-base/pure';
import type { ClockOffset } from './clock-watch.ts';
import type { Greeted } from './handshake.ts';
import { OverlayLink } from './link.ts';
import { encodeNeighbours } from './link-bytes.ts';
import { LINK } from './link-kinds.ts';
import type { Members } from './members.ts';

export interface LinkBookOptions {
  readonly ownId: string;
  readonly members: Members;
  readonly clock: Clock;
  readonly log: Log;
  readonly onOpened: (link: OverlayLink) => void;
  readonly onFrame: (link: OverlayLink, kind: number, payload: Uint8Array) => void;
  readonly onParted: (validatorId: string, isBlamed: boolean) => void;
}

const NEIGHBOURS_MILLIS = 200;
/** Two connections that were opened within this span count as simultaneous. */
const RACE_MILLIS = 10_000;

export class LinkBook {
  readonly #options: LinkBookOptions;
  readonly #links = new Map<string, OverlayLink>();
  #cancelNeighbours: (() => void) | undefined;
  #isClosed = false;

  constructor(options: LinkBookOptions) {
    this.#options = options;
  }

  get all(): ReadonlyMap<string, OverlayLink> {
    return this.#links;
  }

  /** The median offset of the neighbours; undefined without neighbours. */
  get clockOffset(): ClockOffset | undefined {
    const offsets = [...this.#links.values()]
      .map(({ clockOffset }) => clockOffset)
      .filter((offset) => offset !== undefined)
      .sort((a, b) => a.aheadMillis - b.aheadMillis);
    return offsets[Math.floor(offsets.length / 2)];
  }

  add(greeted: Greeted, isDialled: boolean): void {
    const { members, clock, log, onOpened, onFrame } = this.#options;
    const { validatorId } = greeted;
    const existing = this.#links.get(validatorId);
    const isUnwanted = this.#isClosed || !members.has(validatorId);
    if (isUnwanted || (existing !== undefined && this.#isToKeep(existing, isDialled))) {
      greeted.channel.close();
      return;
    }
    const link = new OverlayLink(greeted, isDialled, clock, {
      onFrame,
      onClose: (closed, error) => this.#closed(closed, error),
    });
    if (!link.isOpen) return;
    this.#links.set(validatorId, link);
    existing?.close();
    log.info({ validator: validatorId, isDialled }, 'connected to a validator');
    onOpened(link);
    this.#tellNeighbours();
  }

  /** Ends the links to validators that are no members any more. */
  keepMembers(): void {
    const { members } = this.#options;
    for (const [id, link] of [...this.#links]) if (!members.has(id)) link.close();
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelNeighbours?.();
    for (const link of [...this.#links.values()]) link.close();
  }

  /** Two links made at the same time: both sides drop the one that the greater id dialled. */
  #isToKeep(existing: OverlayLink, isDialled: boolean): boolean {
    const { clock, ownId } = this.#options;
    if (!existing.isOpen || existing.isDialled === isDialled) return false;
    if (clock.monotonic() - existing.openedAtMillis > RACE_MILLIS) return false;
    return existing.isDialled === ownId < existing.validatorId;
  }

  #closed(link: OverlayLink, error: Error | undefined): void {
    const { validatorId } = link;
    if (this.#links.get(validatorId) !== link) return;
    this.#links.delete(validatorId);
    this.#options.onParted(validatorId, error !== undefined);
    this.#tellNeighbours();
    const reason = error === undefined ? 'closed' : messageOf(error);
    this.#options.log.info({ validator: validatorId, reason }, 'disconnected from a validator');
  }

  #tellNeighbours(): void {
    if (this.#isClosed) return;
    this.#cancelNeighbours ??= this.#options.clock.after(NEIGHBOURS_MILLIS, () => {
      this.#cancelNeighbours = undefined;
      const neighbours = encodeNeighbours([...this.#links.keys()]);
      for (const link of this.#links.values()) link.send(LINK.neighbours, neighbours);
    });
  }
}
