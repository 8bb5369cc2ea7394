/**
 * The seat of a node whose consensus key is with a remote signer: taken when the node gets the lease, left when the lease
 * ends. Every lease starts the validator anew, with the record that the signer shows, as a start of the node would.
 */
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { ConfigError, readSecretFile } from 'svc-base/node';
import { type Clock, type Log, messageOf } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import type { WireContext } from 'svc-consensus/machine';
import { type SeatKey, type SignerLease, SignerSession } from 'svc-consensus/shell';
import { openSignerLink, type SignerPlace } from 'svc-consensus/signer';
import type { Relay } from 'svc-serve/ports';
import { toHex } from 'svc-wasm/base';
import { keyHash } from 'svc-wasm/protocol';
import type { NodeConfig, SignerConfig } from '../config/node-config.ts';
import type { ReportedValidator } from '../report/validator-report.ts';
import { type ComposedNode, composeNode, type NodeContext } from './composed-node.ts';
import type { NodeCore } from './node-core.ts';
import {
  mustWait,
  type OwnValidatorOptions,
  openOwnSeat,
  openWhenRegistered,
  readHeartbeat,
} from './own-validator.ts';
import type { RunningSeat, Seat } from './seats.ts';

interface SignerClientOptions {
  readonly place: SignerPlace;
  readonly wire: WireContext;
  /** Tells the signer's operator who holds the lease. */
  readonly name: string;
  readonly clock: Clock;
  readonly log: Log;
}

interface HeldLease {
  readonly lease: SignerLease;
  /** Settles when the lease has ended, and never rejects. */
  readonly ended: Promise<void>;
}

const PAUSE_MILLIS_MIN = 250;
const PAUSE_MILLIS_MAX = 4_000;

/**
 * The way to a remote signer: connects, asks for the lease, and connects again after every end, with growing pauses. Hands
 * out one lease after another; the seat that uses a lease stops when it ends.
 */
class SignerClient {
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

const NAME_DIGITS = 16;

/** Files are read first: what is refused about them is refused before anything is opened. */
export function startNodeWithSigner(
  config: NodeConfig,
  context: NodeContext,
  signer: SignerConfig,
): Promise<ComposedNode> {
  const { log, newSignState = false } = context;
  if (newSignState)
    throw new ConfigError(
      '',
      'validator.signer',
      'the signer keeps the record of what was signed: start svc-signer with --new-sign-state',
    );
  const place = placeOf(signer);
  const heartbeat = readHeartbeat(config);
  const leased = new LeasedValidator();
  const wishFor = (core: NodeCore, key: SeatKey): OwnValidatorOptions => ({
    ...{ config, core, log, newSignState, clock: SYSTEM_CLOCK },
    keys: { key, heartbeat },
  });
  return composeNode({
    config,
    context,
    seats: (core, closing) => {
      leased.client = new SignerClient({
        ...{ place, wire: core.chain.wire, clock: SYSTEM_CLOCK },
        name: hostname().replaceAll(/[^\x21-\x7e]/g, ''),
        log: log.part('validator'),
      });
      closing.defer(() => leased.close());
      return [];
    },
    laterSeats: (core, relay, closing) =>
      leasedSeats(leased, (key) => wishFor(core, key), relay, closing),
    remote: leased,
  });
}

/** What the node says of a validator whose key is elsewhere, with the lease and without it. */
class LeasedValidator implements ReportedValidator {
  client: SignerClient | undefined;
  #seat: RunningSeat | undefined;
  #lastSignedHeight: number | null = null;

  get isAway(): boolean {
    return this.client?.state === 'away';
  }

  /** Undefined until the signer has told its key. */
  get reported(): ReportedValidator | undefined {
    return this.client?.publicKey === undefined ? undefined : this;
  }

  get key(): ReportedValidator['key'] {
    return { keyHash: toHex(keyHash(this.client?.publicKey as Uint8Array)) };
  }

  get driver(): ReportedValidator['driver'] {
    if (this.#seat !== undefined) return this.#seat.driver;
    const signing = this.client?.state === 'standby' ? 'standby' : 'signer_away';
    return { status: { signing, lastSignedHeight: this.#lastSignedHeight } };
  }

  get heartbeats(): ReportedValidator['heartbeats'] {
    return this.#seat?.heartbeats ?? null;
  }

  /** Gives the lease back and asks for none any more. */
  close(): void {
    this.client?.close();
  }

  run(seat: RunningSeat, ended: Promise<void>): void {
    this.#seat = seat;
    void ended.then(() => {
      this.#lastSignedHeight = seat.driver.status.lastSignedHeight;
      if (this.#seat === seat) this.#seat = undefined;
    });
  }
}

async function* leasedSeats(
  leased: LeasedValidator,
  wishFor: (key: SeatKey) => OwnValidatorOptions,
  relay: Relay,
  closing: AsyncDisposableStack,
): AsyncGenerator<Seat> {
  const { client } = leased;
  let leave = async (): Promise<void> => {};
  closing.defer(() => leave());
  while (client !== undefined) {
    const held = await client.lease();
    if (closing.disposed) return;
    const scope = new AsyncDisposableStack();
    // The second caller waits for the first: a stack that is being disposed of does not wait for itself.
    let left: Promise<void> | undefined;
    leave = () => (left ??= scope.disposeAsync());
    try {
      const seat = await openSeat(wishFor(keyOf(held.lease)), held, relay, scope);
      if (seat === undefined) continue;
      yield {
        ...seat,
        lease: held.lease,
        until: held.ended,
        closing: scope,
        onRunning: (running) => leased.run(running, held.ended),
      };
      await held.ended;
    } finally {
      await leave();
    }
  }
}

/** Undefined if the lease ended before the chain knew the key. */
async function openSeat(
  wish: OwnValidatorOptions,
  { ended }: HeldLease,
  relay: Relay,
  closing: AsyncDisposableStack,
): Promise<Seat | undefined> {
  const waits = mustWait(wish);
  const opening = waits
    ? openWhenRegistered(wish, relay, closing)
    : openOwnSeat(wish, closing, 'existing');
  const seat = await (waits ? Promise.race([opening, ended]) : opening);
  const name = `signer-${wish.keys.key.keyHash.slice(0, NAME_DIGITS)}`;
  return seat === undefined ? undefined : { ...seat, name, signState: 'existing' };
}

function keyOf(lease: SignerLease): SeatKey {
  return {
    id: lease.keyId,
    publicKey: lease.publicKey,
    keyHash: toHex(lease.keyId),
    sign: () => {
      throw new Error('the consensus key is with the signer');
    },
    signHeartbeat: (body, manifest) => lease.signHeartbeat(body, manifest),
  };
}

function placeOf(signer: SignerConfig): SignerPlace {
  if ('path' in signer) return signer;
  const { host, port, fingerprint, certificateFile, keyFile } = signer;
  const key = new TextDecoder().decode(readSecretFile(keyFile, 'validator.signer_key_file'));
  return { host, port, fingerprint, key, certificate: readCertificate(certificateFile) };
}

function readCertificate(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(file, 'validator.signer_certificate_file', messageOf(error));
  }
}
