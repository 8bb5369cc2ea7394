/**
 * What a forwarder lets through. Signatures of a message are checked first; then it is forwarded once to each target.
 * A message without signatures is forwarded to one target, as honest validators send it: whether a target asked for a
 * cut or a block is not known here, since query and answer may go through different neighbours. So no sender's noise
 * is amplified.
 */
import {
  type BlockMessage,
  decodeMessage,
  type EvidenceMessage,
  type SignatureVerdict,
  type WireContext,
  type WireMessage,
} from 'svc-consensus/machine';
import { isRefusal } from 'svc-wasm/base';
import { sha384 } from 'svc-wasm/kernel';
import { decodeBlockHeader } from 'svc-wasm/protocol';
import { RecentSet } from '../base/recent-set.ts';

export interface OverlayApplication {
  readonly wire: WireContext;
  /** The height and round that the committee is at; null where the round is not known. */
  position(): { readonly height: number; readonly round: number | null };
  /** One verdict for each message, in their order. */
  verify(
    messages: readonly Uint8Array[],
  ): readonly SignatureVerdict[] | Promise<readonly SignatureVerdict[]>;
}

/** To all targets or to one of them; `reject` blames the neighbour that handed the message over. */
export type Passage = 'toAll' | 'toOne' | 'drop' | 'reject';

const SEEN_MAX = 16_384;
const REPEAT_MILLIS = 1_000;
const COUNTED_MAX = 16_384;
const ROUNDS_AHEAD_MAX = 3;
/** An equivocator signs two messages for one slot; a third is useless. */
const SIGNED_PER_PLACE_MAX = 2;
/** Two honest nodes have different certificates of one cut. */
const CERTIFICATES_PER_PLACE_MAX = 4;
/** Caps forwarding by round, so that endless rounds cannot flood. */
const SIGNED_PER_HEIGHT_MAX = 256;

interface Place {
  /** Kind, height, round and author of the message. */
  readonly key: string;
  /** Kind, height and author, without the round. */
  readonly author: string;
  readonly height: number;
  readonly round: number;
  readonly max: number;
}

export class ForwardGate {
  readonly #application: OverlayApplication;
  readonly #now: () => number;
  /** When a message was passed on to a target last. */
  readonly #passed = new Map<string, number>();
  /** Messages whose signatures were found to hold. */
  readonly #checked = new RecentSet(SEEN_MAX);
  readonly #counts = new Map<string, number>();

  constructor(application: OverlayApplication, now: () => number) {
    this.#application = application;
    this.#now = now;
  }

  /**
   * Targets that did not just get this message from here. After a moment it is forwarded again: a repeated message
   * may have been lost. With a sender, only messages forwarded for that one count: a message without signatures is
   * the same for every sender, and each asks for itself.
   */
  fresh(message: Uint8Array, targets: readonly string[], sender = ''): string[] {
    const digest = digestOf(message);
    const now = this.#now();
    return targets.filter((target) => {
      const passedAt = this.#passed.get(`${digest}${target}${sender}`);
      return passedAt === undefined || now - passedAt >= REPEAT_MILLIS;
    });
  }

  /** Must be called when a message goes to these targets, with the sender that `fresh` was asked with. */
  passed(message: Uint8Array, targets: readonly string[], sender = ''): void {
    const digest = digestOf(message);
    for (const target of targets) {
      if (this.#passed.size >= SEEN_MAX) this.#passed.clear();
      this.#passed.set(`${digest}${target}${sender}`, this.#now());
    }
  }

  /** The quota of one slot is counted for the neighbour that hands messages over: others have their own. */
  async judge(bytes: Uint8Array, neighbour: string): Promise<Passage> {
    const message = this.#decode(bytes);
    if (typeof message === 'string') return message;
    const place = this.#placeOf(message);
    if (place === undefined) return this.#judgeUnsigned(message);
    const digest = digestOf(bytes);
    if (this.#checked.has(digest)) return 'toAll';
    if (!this.#isUseful(message, place)) return 'drop';
    const key = `${neighbour} ${place.key}`;
    const author = `${neighbour} ${place.author}`;
    if (this.#countOf(key) >= place.max) return 'drop';
    if (this.#countOf(author) >= SIGNED_PER_HEIGHT_MAX) return 'drop';
    const verdict = await this.#verdictOn(bytes);
    if (verdict === undefined) return 'drop';
    if (!verdict.holds) return verdict.code === 'wrong_validator_set' ? 'drop' : 'reject';
    this.#count(key);
    this.#count(author);
    this.#checked.add(digest);
    return 'toAll';
  }

  /** None if the checking threads are full, which is not the neighbour's fault: the message counts as lost. */
  async #verdictOn(bytes: Uint8Array): Promise<SignatureVerdict | undefined> {
    try {
      const [verdict] = await this.#application.verify([bytes]);
      return verdict;
    } catch {
      return undefined;
    }
  }

  /** A cut was compared with its header when it was decoded, and a block belongs to this chain at least. */
  #judgeUnsigned(message: WireMessage): Passage {
    return message.kind !== 'block' || this.#isOfThisChain(message) ? 'toOne' : 'drop';
  }

  #isOfThisChain({ header }: BlockMessage): boolean {
    try {
      decodeBlockHeader(header, this.#application.wire.chainId);
      return true;
    } catch (error) {
      if (isRefusal(error)) return false;
      throw error;
    }
  }

  #decode(bytes: Uint8Array): WireMessage | Passage {
    try {
      return decodeMessage(this.#application.wire, bytes);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return error.code === 'wrong_validator_set' ? 'drop' : 'reject';
    }
  }

  /** Where in the agreement a signed message belongs; undefined for what is not signed. */
  #placeOf(message: WireMessage): Place | undefined {
    switch (message.kind) {
      case 'proposal':
      case 'prevote':
      case 'precommit':
        return signedPlace(message.kind, message);
      case 'proposalWithCut':
        return signedPlace(message.kind, message.proposal);
      case 'commitCertificate':
      case 'polkaCertificate':
        return certificatePlace(message.kind, message);
      case 'decision':
        return certificatePlace(message.kind, message.certificate);
      case 'evidence':
        return evidencePlace(message);
      default:
        return undefined;
    }
  }

  /** Evidence may be about any earlier height; everything else is of the current height. */
  #isUseful(message: WireMessage, { height, round }: Place): boolean {
    if (message.kind !== 'evidence') return this.#isNear(height, round);
    return height <= this.#application.position().height + 1;
  }

  #isNear(height: number, round: number): boolean {
    const now = this.#application.position();
    if (Math.abs(height - now.height) > 1) return false;
    if (height !== now.height || now.round === null) return true;
    return round <= now.round + ROUNDS_AHEAD_MAX;
  }

  #countOf(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  #count(key: string): void {
    if (this.#counts.size >= COUNTED_MAX) this.#counts.clear();
    this.#counts.set(key, this.#countOf(key) + 1);
  }
}

function signedPlace(
  kind: string,
  { height, round, validatorIndex }: { height: number; round: number; validatorIndex: number },
): Place {
  const author = `${kind}/${height}/${validatorIndex}`;
  return { key: `${author}/${round}`, author, height, round, max: SIGNED_PER_PLACE_MAX };
}

function certificatePlace(
  kind: string,
  { height, round }: { height: number; round: number },
): Place {
  const author = `${kind}/${height}`;
  return { key: `${author}/${round}`, author, height, round, max: CERTIFICATES_PER_PLACE_MAX };
}

/** One pair convicts a validator; two honest nodes may have different ones. */
function evidencePlace({ kind, first: { height, validatorIndex } }: EvidenceMessage): Place {
  const author = `${kind}/${height}`;
  const key = `${author}/${validatorIndex}`;
  return { key, author, height, round: 0, max: CERTIFICATES_PER_PLACE_MAX };
}

function digestOf(message: Uint8Array): string {
  return Buffer.from(sha384(message).subarray(0, 16)).toString('hex');
}
