/**
 * The way to a remote signer: connects, asks for the lease, and connects again after every end, with growing pauses. Hands
 * out one lease after another; whoever uses a lease stops when it ends.
 */
import type { Clock, Log } from 'svc-base/pure';
import type { WireContext } from 'svc-consensus/machine';
import { type SignerLease, SignerSession } from 'svc-consensus/shell';
import { openSignerLink, type SignerPlace } from 'svc-consensus/signer';

export interface SignerClientOptions {
  readonly place: SignerPlace;
  readonly wire: WireContext;
  /** Tells the signer's operator who holds the lease. */
  readonly name: string;
  readonly clock: Clock;
  readonly log: Log;
}

export interface HeldLease {
  readonly lease: SignerLease;
  /** Settles when the lease has ended, and never rejects. */
  readonly ended: Promise<void>;
}

const PAUSE_MILLIS_MIN = 250;
const PAUSE_MILLIS_MAX = 4_000;

export class SignerClient {
  readonly #options: SignerClientOptions;
  #next = Promise.withResolvers<HeldLease>();
  #state: 'away' | 'standby' | 'active' = 'away';
  #publicKey: Uint8Array | undefined;
  #pauseMillis = PAUSE_MILLIS_MIN;
  /** What was said last, so that it is said once. */
  #told = '';
  #isClosed = false;
  #close: () => void = () => {};

  constructor(options: SignerClientOptions) {
    this.#options = options;
    this.#connect();
  }

  /** `standby`: another node holds the lease. */
  get state(): 'away' | 'standby' | 'active' {
    return this.#state;
  }

  /** Known from the first answer on. */
  get publicKey(): Uint8Array | undefined {
    return this.#publicKey;
  }

  /** The lease that is held, or the next one. Never settles once closed. */
  lease(): Promise<HeldLease> {
    return this.#next.promise;
  }

  close(): void {
    this.#isClosed = true;
    this.#close();
  }

  #connect(): void {
    const { clock, name, place, wire } = this.#options;
    const ended = Promise.withResolvers<void>();
    let session: SignerSession | undefined;
    const link = openSignerLink(place, {
      onOpen: () => {
        session = new SignerSession(
          { chainId: wire.chainId, name },
          {
            clock,
            send: (frame) => link.send(frame),
            setIdAt: wire.setIdAt,
            onGranted: (lease) => this.#onGranted({ lease, ended: ended.promise }),
            onHeld: (publicKey, holder) => this.#onHeld(publicKey, holder),
            onEnded: (reason) => {
              link.close();
              this.#onEnded(reason);
              ended.resolve();
            },
          },
        );
      },
      onFrame: (frame) => session?.receive(frame),
      onClosed: (reason) => {
        if (session === undefined) this.#onEnded(reason);
        else session.end(reason);
      },
    });
    this.#close = () => {
      session?.end('the node ends');
      link.close();
    };
  }

  #onGranted(held: HeldLease): void {
    const { lease } = held;
    this.#publicKey = lease.publicKey;
    this.#pauseMillis = PAUSE_MILLIS_MIN;
    this.#state = 'active';
    this.#told = '';
    this.#options.log.info({ lease: lease.number }, 'the signer gave this node the lease');
    this.#next.resolve(held);
  }

  #onHeld(publicKey: Uint8Array, holder: string): void {
    this.#publicKey = publicKey;
    this.#pauseMillis = PAUSE_MILLIS_MIN;
    this.#state = 'standby';
    const message = 'another node holds the lease of the signer: this one stands by';
    if (this.#isNews(`${message} ${holder}`)) this.#options.log.info({ holder }, message);
  }

  #onEnded(reason: string): void {
    const { clock, log } = this.#options;
    const wasActive = this.#state === 'active';
    this.#state = 'away';
    if (wasActive) this.#next = Promise.withResolvers();
    if (this.#isClosed) return;
    if (wasActive || this.#isNews(reason))
      log.warn({ reason }, 'the signer is away: nothing is signed');
    this.#close = clock.after(this.#pauseMillis, () => this.#connect());
    this.#pauseMillis = Math.min(PAUSE_MILLIS_MAX, 2 * this.#pauseMillis);
  }

  #isNews(text: string): boolean {
    const isNew = text !== this.#told;
    this.#told = text;
    return isNew;
  }
}
