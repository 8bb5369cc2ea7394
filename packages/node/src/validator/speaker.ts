/**
 * What a validator says to the others. Proposals leave together with their cuts. A muted one says nothing.
 */
import {
  encodeMessage,
  type PeerMessage,
  type ValidatorIndex,
  type WireContext,
  type WireMessage,
} from 'svc-finality';
import type { ValidatorOverlay } from '../ports/overlay.ts';
import type { HeldCuts } from './held-cuts.ts';

/** How many others a proposal is passed on to by each who receives it. */
const PROPOSAL_FANOUT = 3;

export interface SpeakerPorts {
  readonly overlay: ValidatorOverlay;
  readonly wire: WireContext;
  readonly cuts: HeldCuts;
  readonly random: () => number;
  readonly isMuted: () => boolean;
  /** Ids of the members of the set in progress, by index. */
  readonly members: () => readonly string[];
}

export class Speaker {
  readonly #ports: SpeakerPorts;

  constructor(ports: SpeakerPorts) {
    this.#ports = ports;
  }

  broadcast(message: PeerMessage): void {
    const { overlay, wire, isMuted } = this.#ports;
    if (!isMuted()) overlay.broadcast(encodeMessage(wire, this.#withCut(message)));
  }

  /** Who sits at an index of the set in progress. */
  idOf(index: ValidatorIndex): string | undefined {
    return this.#ports.members()[index];
  }

  sendTo(index: ValidatorIndex, message: WireMessage): void {
    const validatorId = this.idOf(index);
    if (validatorId !== undefined) this.send(validatorId, message);
  }

  send(validatorId: string, message: WireMessage): void {
    const { overlay, wire, isMuted } = this.#ports;
    if (!isMuted()) overlay.send(validatorId, encodeMessage(wire, this.#withCut(message)));
  }

  /** A proposal that is new here goes on to a few others, so that slow links do not set the pace. */
  passOn(bytes: Uint8Array, from: string): void {
    const { overlay, isMuted } = this.#ports;
    if (isMuted()) return;
    for (const to of this.draw(PROPOSAL_FANOUT, from)) overlay.send(to, bytes);
  }

  /** Some neighbours at random. */
  draw(count: number, except?: string): string[] {
    const { overlay, random } = this.#ports;
    const others = overlay.neighbours().filter((id) => id !== except);
    for (let at = others.length - 1; at > 0; at--) {
      const other = Math.floor(random() * (at + 1));
      [others[at], others[other]] = [others[other] as string, others[at] as string];
    }
    return others.slice(0, count);
  }

  #withCut(message: WireMessage): WireMessage {
    if (message.kind !== 'proposal') return message;
    const cut = this.#ports.cuts.get(message.value);
    return cut === undefined ? message : { kind: 'proposalWithCut', proposal: message, cut };
  }
}
