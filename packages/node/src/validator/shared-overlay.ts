/**
 * One overlay for the two consensus keys of a validator that is being rotated. To the others both are one validator:
 * what comes in reaches both, and both may speak.
 */
import type { OverlayListener, ValidatorOverlay } from 'svc-consensus/shell';

export class SharedOverlay {
  readonly #overlay: ValidatorOverlay;
  readonly #listeners: OverlayListener[] = [];

  constructor(overlay: ValidatorOverlay) {
    this.#overlay = overlay;
  }

  /** A way onto the overlay; its listener replaces none of another way. */
  join(): ValidatorOverlay {
    const overlay = this.#overlay;
    const place = this.#listeners.push(() => {}) - 1;
    return {
      neighbours: () => overlay.neighbours(),
      broadcast: (packet) => overlay.broadcast(packet),
      send: (validatorId, packet) => overlay.send(validatorId, packet),
      setCommittee: (members) => overlay.setCommittee(members),
      listen: (listener) => {
        this.#listeners[place] = listener;
        overlay.listen((from, packet, link) => {
          for (const hear of this.#listeners) hear(from, packet, link);
        });
      },
    };
  }
}
