/**
 * The process of `svc-signer`: the desk and the signer that ship, on a simulated disk, and its links to nodes. Every
 * signature that leaves it is shown to the world, with what a crash could not take from the disk at that moment.
 */
import { type Clock, SILENT_LOG } from 'svc-base/pure';
import {
  type CutId,
  height,
  openSigner,
  type Signer,
  type SignStateStorage,
  type UnsignedMessage,
} from 'svc-consensus/machine';
import { type DeskLink, decodeAnswer, decodeRequest, SigningDesk } from 'svc-consensus/shell';
import { SIMULATED_CRASH, SimulatedCrash } from '../base/failure.ts';
import type { Random } from '../base/random.ts';
import { SignStateFile } from '../world/disk.ts';

/** One end of a connection, as its process has opened it. */
interface LinkEnd {
  receive(frame: Uint8Array): void;
  /** The other end is gone. */
  closed(): void;
}

interface LinkPorts {
  callLater(delayMs: number, call: () => void): void;
  now(): number;
  delayMs(): number;
  /** Until when nothing passes. */
  downUntil(): number;
}

type Side = 'node' | 'signer';

/**
 * A connection between a node and the signer: frames arrive in their order, late, and not at all once one end is gone.
 * While the network between them is down, frames wait, as those of TCP do.
 */
export class SignerLink {
  readonly #ports: LinkPorts;
  readonly #ends: Partial<Record<Side, LinkEnd>> = {};
  readonly #arrivesAt: Record<Side, number> = { node: 0, signer: 0 };
  readonly #gone = new Set<Side>();

  constructor(ports: LinkPorts) {
    this.#ports = ports;
  }

  attach(side: Side, end: LinkEnd): void {
    this.#ends[side] = end;
  }

  send(to: Side, frame: Uint8Array): void {
    this.#deliver(to, (end) => end.receive(frame));
  }

  /** A process ends, or closes its end; the other side learns of it as late as of a frame. */
  close(side: Side): void {
    if (this.#gone.has(side)) return;
    this.#gone.add(side);
    this.#deliver(side === 'node' ? 'signer' : 'node', (end) => end.closed());
  }

  /** The machine of a process is gone, and the other side hears nothing. */
  vanish(side: Side): void {
    this.#gone.add(side);
  }

  #deliver(to: Side, call: (end: LinkEnd) => void): void {
    const { now, delayMs, downUntil, callLater } = this.#ports;
    const at = Math.max(this.#arrivesAt[to], now() + delayMs(), downUntil());
    this.#arrivesAt[to] = at;
    callLater(at - now(), () => {
      const end = this.#ends[to];
      if (end !== undefined && !this.#gone.has(to)) call(end);
    });
  }
}

export const SIGNER_CHAIN: Uint8Array = new Uint8Array(48).fill(1);
const PUBLIC_KEY = new Uint8Array(1_952).fill(3);
const SIGNATURE = new Uint8Array(3_309).fill(4);
/** The bytes that are signed tell messages apart here; no signature is ever verified. */
const KEY = { id: new Uint8Array(48).fill(2), publicKey: PUBLIC_KEY };

/** Rules of the signer that a mutant breaks. */
export interface SignerRules {
  storageOf(file: SignStateFile): SignStateStorage;
  signerOf(signer: Signer): Signer;
  clockOf(clock: Clock): Clock;
}

export const SIGNER_RULES: SignerRules = {
  storageOf: (file) => file,
  signerOf: (signer) => signer,
  clockOf: (clock) => clock,
};

interface SignerProcessPorts {
  readonly rules: SignerRules;
  readonly random: Random;
  clock(isAlive: () => boolean): Clock;
  crashesNow(): boolean;
  onSigned(message: UnsignedMessage, durable: Uint8Array | undefined): void;
  onCrash(): void;
  fail(checker: string, detail: string): void;
}

/**
 * The process of `svc-signer`: the desk and the signer that ship, on a simulated disk. Every signature that leaves it is
 * shown to the world, with what a crash could not take from the disk at that moment.
 */
export class SignerProcess {
  readonly file = new SignStateFile();
  readonly #ports: SignerProcessPorts;
  readonly #links = new Set<SignerLink>();
  #life = 0;
  #isUp = false;
  #desk: SigningDesk | undefined;

  constructor(ports: SignerProcessPorts) {
    this.#ports = ports;
  }

  get holder(): string | null {
    return this.#desk?.holder ?? null;
  }

  start(): void {
    this.#life++;
    this.#isUp = true;
    const isNew = this.file.read() === undefined;
    this.file.onStep = () => {
      if (!isNew && this.#ports.crashesNow()) throw SIMULATED_CRASH;
    };
    this.#during(() => this.#open(isNew));
  }

  #open(isNew: boolean): void {
    const { rules, fail } = this.#ports;
    const life = this.#life;
    const opened = openSigner(
      {
        storage: rules.storageOf(this.file),
        lock: { acquire: () => true, release: () => {} },
        key: { ...KEY, sign: () => SIGNATURE },
      },
      { chainHeight: height(0), newSignState: isNew, firstUse: isNew },
    );
    if (opened.type !== 'open') {
      fail('signer', `the record is refused: ${opened.reason}`);
      return;
    }
    this.#desk = new SigningDesk({
      signer: rules.signerOf(opened.signer),
      key: { publicKey: PUBLIC_KEY, signHeartbeat: () => undefined },
      chainId: SIGNER_CHAIN,
      clock: rules.clockOf(this.#ports.clock(() => this.#life === life)),
      log: SILENT_LOG,
    });
  }

  /** Takes a connection; false if the signer is down. */
  connect(link: SignerLink): boolean {
    const asked = new Map<number, UnsignedMessage>();
    const back: DeskLink = {
      send: (frame) => {
        const answer = decodeAnswer(frame);
        const message = answer.type === 'signed' ? asked.get(answer.id) : undefined;
        if (message !== undefined) this.#ports.onSigned(message, this.file.durable);
        link.send('node', frame);
      },
      end: () => {
        this.#links.delete(link);
        link.close('signer');
      },
    };
    const connection = this.#desk?.connect(back);
    if (connection === undefined) return false;
    const end: LinkEnd = {
      receive: (frame) => {
        const request = decodeRequest(frame);
        if (request.type === 'sign') asked.set(request.id, request.message);
        this.#during(() => connection.receive(frame));
      },
      closed: () => connection.close(),
    };
    this.#links.add(link);
    link.attach('signer', end);
    return true;
  }

  crash(): void {
    if (!this.#isUp) return;
    this.#isUp = false;
    this.#desk = undefined;
    this.#life++;
    this.file.crash(this.#ports.random);
    for (const link of this.#links) link.close('signer');
    this.#links.clear();
    this.#ports.onCrash();
  }

  #during(call: () => void): void {
    try {
      call();
    } catch (error) {
      if (!(error instanceof SimulatedCrash)) throw error;
      this.crash();
    }
  }
}

/** What one life of a node wants to be signed. */
export function wantedValue(node: number, life: number): CutId {
  return (((node * 7 + life) % 251) + 1).toString(16).padStart(2, '0').repeat(48) as CutId;
}
