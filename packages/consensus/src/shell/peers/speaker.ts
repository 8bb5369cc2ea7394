/**
 * Sends a validator's messages to the others. Proposals leave together with their cuts. A muted validator sends nothing.
 */
import type { PeerMessage, ValidatorIndex, WireMessage } from 'svc-consensus/machine';
import type { KnownCuts } from '../cuts/known-cuts.ts';
import type { Driver } from '../driver.ts';

/** The number of validators to which each receiver forwards a proposal. */
const PROPOSAL_FANOUT = 3;

/** The sending side, for messages that are not encoded yet. */
export interface Outlet {
  neighbours(): readonly string[];
  broadcast(message: WireMessage): void;
  send(validatorId: string, message: WireMessage): void;
}

export class Speaker {
  readonly #driver: Driver;
  readonly #outlet: Outlet;
  readonly #cuts: KnownCuts;

  constructor(driver: Driver, outlet: Outlet, cuts: KnownCuts) {
    this.#driver = driver;
    this.#outlet = outlet;
    this.#cuts = cuts;
  }

  get neighbourCount(): number {
    return this.#outlet.neighbours().length;
  }

  neighbours(): readonly string[] {
    return this.#outlet.neighbours();
  }

  /** Sends a packet that is no message of the machine to all. */
  tell(message: WireMessage): void {
    if (!this.#driver.isMuted) this.#outlet.broadcast(message);
  }

  broadcast(message: PeerMessage): void {
    if (!this.#driver.isMuted) this.#outlet.broadcast(this.#withCut(message));
  }

  /** Sends to the validator at an index of the set in progress. */
  sendTo(index: ValidatorIndex, message: WireMessage): void {
    const validatorId = this.#driver.members[index];
    if (validatorId !== undefined) this.send(validatorId, message);
  }

  send(validatorId: string, message: WireMessage): void {
    if (!this.#driver.isMuted) this.#outlet.send(validatorId, this.#withCut(message));
  }

  /** Forwards a proposal that is new here to a few others, so that slow links do not set the pace. */
  passOn(message: WireMessage, from: string): void {
    if (this.#driver.isMuted) return;
    for (const to of this.draw(PROPOSAL_FANOUT, from)) this.#outlet.send(to, message);
  }

  /** Some neighbours at random. */
  draw(count: number, except?: string): string[] {
    const { random } = this.#driver.ports;
    const neighbours = this.#outlet.neighbours();
    const others =
      except === undefined ? neighbours.slice() : neighbours.filter((id) => id !== except);
    for (let at = others.length - 1; at > 0; at--) {
      const other = Math.floor(random() * (at + 1));
      const drawn = others[other] as string;
      others[other] = others[at] as string;
      others[at] = drawn;
    }
    if (others.length > count) others.length = count;
    return others;
  }

  #withCut(message: WireMessage): WireMessage {
    if (message.kind !== 'proposal') return message;
    const cut = this.#cuts.get(message.value);
    return cut === undefined ? message : { kind: 'proposalWithCut', proposal: message, cut };
  }
}
