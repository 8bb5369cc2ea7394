/**
 * Passes messages of one neighbour on to others, within its forwarding budget and a limit of bytes under check. A
 * message with a wrong signature ends the link.
 */
import { asError } from 'svc-base/pure';
import type { ForwardGate, Passage } from './forward-gate.ts';
import type { OverlayLink } from './link.ts';
import { decodeForward, encodeForwarded } from './link-bytes.ts';
import { LINK } from './link-kinds.ts';
import type { MemberBudgets } from './member-budgets.ts';
import type { Members } from './members.ts';

/**
 * Bytes of one neighbour whose signatures are being checked: 64 neighbours together do not fill the queue of the
 * checking threads. One message is always admitted.
 */
const JUDGED_BYTES_MAX = 262_144;

export class Forwarder {
  readonly #judged = new Map<string, number>();
  readonly #links: ReadonlyMap<string, OverlayLink>;
  readonly #members: Pick<Members, 'byTarget'>;
  readonly #gate: ForwardGate;
  readonly #budgets: Pick<MemberBudgets, 'mayPassOn'>;

  constructor(
    links: ReadonlyMap<string, OverlayLink>,
    members: Pick<Members, 'byTarget'>,
    gate: ForwardGate,
    budgets: Pick<MemberBudgets, 'mayPassOn'>,
  ) {
    this.#links = links;
    this.#members = members;
    this.#gate = gate;
    this.#budgets = budgets;
  }

  async passOn(link: OverlayLink, payload: Uint8Array): Promise<void> {
    try {
      const { targets, message } = decodeForward(payload);
      const linked = this.#linked(targets, link);
      if (linked.length === 0) return;
      const passage = await this.#judge(link.validatorId, message);
      if (passage === 'reject')
        throw new Error('a message to pass on whose signature does not hold');
      if (passage === 'drop') return;
      const isToOne = passage === 'toOne';
      const meant = isToOne ? linked.slice(0, 1) : linked;
      const sender = isToOne ? link.validatorId : undefined;
      const fresh = this.#gate.fresh(message, meant, sender);
      const forwarded = encodeForwarded(link.validatorId, message);
      const passed = isToOne ? 'unsigned' : 'signed';
      const bytes = fresh.length * forwarded.length;
      if (!this.#budgets.mayPassOn(link.validatorId, passed, bytes)) return;
      this.#gate.passed(message, fresh, sender);
      for (const id of fresh) this.#links.get(id)?.send(LINK.forwarded, forwarded, passed);
    } catch (error) {
      link.close(asError(error));
    }
  }

  async #judge(neighbour: string, message: Uint8Array): Promise<Passage> {
    const before = this.#judged.get(neighbour) ?? 0;
    if (before > 0 && before + message.length > JUDGED_BYTES_MAX) return 'drop';
    this.#judged.set(neighbour, before + message.length);
    try {
      return await this.#gate.judge(message, neighbour);
    } finally {
      const left = (this.#judged.get(neighbour) ?? 0) - message.length;
      if (left > 0) this.#judged.set(neighbour, left);
      else this.#judged.delete(neighbour);
    }
  }

  /** The targets that have a link here, each once however often it is named. */
  #linked(targets: readonly string[], from: OverlayLink): string[] {
    return [...new Set(targets)]
      .map((target) => this.#members.byTarget(target))
      .filter((id) => id !== undefined)
      .filter((id) => id !== from.validatorId && this.#links.has(id));
  }
}
