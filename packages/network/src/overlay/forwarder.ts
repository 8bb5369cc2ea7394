/**
 * Passes messages of one neighbour on to others. What is handed over with a wrong signature ends the link.
 */
import { asError } from 'svc-base/pure';
import type { ForwardGate } from './forward-gate.ts';
import type { OverlayLink } from './link.ts';
import { decodeForward, encodeForwarded } from './link-bytes.ts';
import { LINK } from './link-kinds.ts';
import type { Members } from './members.ts';

export class Forwarder {
  readonly #links: ReadonlyMap<string, OverlayLink>;
  readonly #members: Members;
  readonly #gate: ForwardGate;

  constructor(links: ReadonlyMap<string, OverlayLink>, members: Members, gate: ForwardGate) {
    this.#links = links;
    this.#members = members;
    this.#gate = gate;
  }

  async passOn(link: OverlayLink, payload: Uint8Array): Promise<void> {
    try {
      const { targets, message } = decodeForward(payload);
      const linked = this.#linked(targets, link);
      if (linked.length === 0) return;
      const passage = await this.#gate.judge(message);
      if (passage === 'reject')
        throw new Error('a message to pass on whose signature does not hold');
      if (passage === 'drop') return;
      const forwarded = encodeForwarded(link.validatorId, message);
      for (const id of this.#gate.fresh(message, linked))
        this.#links.get(id)?.send(LINK.forwarded, forwarded);
    } catch (error) {
      link.close(asError(error));
    }
  }

  #linked(targets: readonly string[], from: OverlayLink): string[] {
    return targets
      .map((target) => this.#members.byTarget(target))
      .filter((id) => id !== undefined)
      .filter((id) => id !== from.validatorId && this.#links.has(id));
  }
}
