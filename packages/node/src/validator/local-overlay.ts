/**
 * Validators of one process: messages go from one to another without a network. A test may delay or lose them.
 */
import type { Clock } from 'svc-base/pure';
import type { OverlayMember, ValidatorOverlay } from 'svc-consensus/shell';

/** How long a message takes; null if it is lost. */
export type Delay = (from: string, to: string, message: Uint8Array) => number | null;

type Listener = (from: string, message: Uint8Array) => void;

export class LocalHub {
  readonly #clock: Clock;
  readonly #delay: Delay;
  readonly #overlays = new Map<string, LocalOverlay>();

  constructor(clock: Clock, delay: Delay = () => 0) {
    this.#clock = clock;
    this.#delay = delay;
  }

  /** A place for a validator; it counts once it listens, and takes that of an earlier one then. */
  join(validatorId: string): LocalOverlay {
    return new LocalOverlay(this, validatorId);
  }

  enter(overlay: LocalOverlay): void {
    this.#overlays.set(overlay.validatorId, overlay);
  }

  others(validatorId: string): string[] {
    return [...this.#overlays.keys()].filter((id) => id !== validatorId);
  }

  leave(overlay: LocalOverlay): void {
    if (this.#overlays.get(overlay.validatorId) === overlay)
      this.#overlays.delete(overlay.validatorId);
  }

  deliver(from: string, to: string, message: Uint8Array): void {
    const delay = this.#delay(from, to, message);
    if (delay === null) return;
    const arrive = () => this.#overlays.get(to)?.receive(from, message);
    if (delay === 0) setImmediate(arrive);
    else this.#clock.after(delay, arrive);
  }
}

export class LocalOverlay implements ValidatorOverlay {
  readonly validatorId: string;
  committee: readonly OverlayMember[] = [];
  readonly #hub: LocalHub;
  #listener: Listener = () => {};

  constructor(hub: LocalHub, validatorId: string) {
    this.#hub = hub;
    this.validatorId = validatorId;
  }

  neighbours(): readonly string[] {
    return this.#hub.others(this.validatorId);
  }

  broadcast(message: Uint8Array): void {
    for (const to of this.neighbours()) this.send(to, message);
  }

  send(validatorId: string, message: Uint8Array): void {
    this.#hub.deliver(this.validatorId, validatorId, message);
  }

  listen(listener: Listener): void {
    this.#listener = listener;
    this.#hub.enter(this);
  }

  setCommittee(members: readonly OverlayMember[]): void {
    this.committee = members;
  }

  receive(from: string, message: Uint8Array): void {
    this.#listener(from, message);
  }

  leave(): void {
    this.#hub.leave(this);
  }
}
