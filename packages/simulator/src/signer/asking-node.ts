/**
 * A node that asks the signer, with the session that ships. In place of a validator it has one that believes in nothing:
 * each life of each node wants another value signed at the height in progress, so that the signer alone keeps two
 * signatures of one position apart.
 */
import type { Clock } from 'svc-base/pure';
import { height, NO_ROUND, round, type UnsignedMessage } from 'svc-consensus/machine';
import { type SignerLease, SignerSession } from 'svc-consensus/shell';
import type { Random } from '../base/random.ts';
import { SIGNER_CHAIN, type SignerLink, wantedValue } from './signer-process.ts';

const PAUSE_MS_MAX = 1_000;
const SECOND_ROUND_RATE = 0.2;
const SET_ID = new Uint8Array(48).fill(9);

interface AskingNodePorts {
  readonly random: Random;
  clock(isAlive: () => boolean): Clock;
  /** A connection to the signer; undefined if the signer is down. */
  connect(): SignerLink | undefined;
  height(): number;
  onGranted(node: AskingNode): void;
  /** The session has ended, and with it the lease if it had one. */
  onEnded(node: AskingNode): void;
  onAnswered(node: AskingNode, message: UnsignedMessage, isSigned: boolean): void;
}

export class AskingNode {
  readonly index: number;
  readonly #ports: AskingNodePorts;
  #life = 0;
  #clock: Clock | undefined;
  #link: SignerLink | undefined;
  #lease: SignerLease | undefined;
  /** Whether it was told that another one holds the lease. */
  isStandby = false;

  constructor(index: number, ports: AskingNodePorts) {
    this.index = index;
    this.#ports = ports;
  }

  get isUp(): boolean {
    return this.#clock !== undefined;
  }

  get lease(): SignerLease | undefined {
    return this.#lease;
  }

  start(): void {
    const life = ++this.#life;
    this.#clock = this.#ports.clock(() => this.#life === life);
    this.#connect(this.#clock);
  }

  /** The process ends here and now; its machine closes the connection unless it ends too. */
  crash(endsMachine: boolean): void {
    if (!this.isUp) return;
    this.#life++;
    this.#clock = undefined;
    this.#lease = undefined;
    this.isStandby = false;
    if (endsMachine) this.#link?.vanish('node');
    else this.#link?.close('node');
  }

  /** Asks for the votes of the height in progress. */
  vote(): void {
    const lease = this.#lease;
    if (lease === undefined) return;
    this.#ask(lease, 'prevote', 0);
    const isSecond = this.#ports.random.chance(SECOND_ROUND_RATE);
    this.#ask(lease, isSecond ? 'prevote' : 'precommit', isSecond ? 1 : 0);
    if (isSecond) this.#ask(lease, 'precommit', 1);
  }

  #ask(lease: SignerLease, kind: 'prevote' | 'precommit', at: number): void {
    const message = {
      kind,
      height: height(this.#ports.height()),
      round: round(at),
      validRound: NO_ROUND,
      value: wantedValue(this.index, this.#life),
      validatorIndex: 0,
    } as UnsignedMessage;
    const life = this.#life;
    void lease.sign(message).then(({ type }) => {
      if (this.#life === life) this.#ports.onAnswered(this, message, type === 'signed');
    });
  }

  #connect(clock: Clock): void {
    const link = this.#ports.connect();
    const again = () => {
      this.#lease = undefined;
      this.isStandby = false;
      clock.after(this.#ports.random.between(0, PAUSE_MS_MAX), () => this.#connect(clock));
    };
    if (link === undefined) {
      again();
      return;
    }
    this.#link = link;
    const session = new SignerSession(
      { chainId: SIGNER_CHAIN, name: `node ${this.index}` },
      {
        clock,
        send: (frame) => link.send('signer', frame),
        setIdAt: () => SET_ID,
        onGranted: (lease) => {
          this.#lease = lease;
          this.isStandby = false;
          this.#ports.onGranted(this);
        },
        onHeld: () => {
          this.isStandby = true;
        },
        onEnded: () => {
          link.close('node');
          again();
          this.#ports.onEnded(this);
        },
      },
    );
    link.attach('node', {
      receive: (frame) => session.receive(frame),
      closed: () => session.end('the connection has ended'),
    });
  }
}
