/**
 * Headers above the tip that are proven final: they follow one another from the tip on, and every range of them
 * ends in a certificate of the set that the header before it names.
 */
import { type CutId, checkLinks, type HeaderLink, type Height } from 'svc-consensus/machine';
import { toHex } from 'svc-wasm/base';
import {
  type CutHeader,
  checkCut,
  cutId,
  decodeCutHeader,
  type ValidatorSet,
} from 'svc-wasm/protocol';
import type { NetworkApplication } from '../application.ts';
import { decoded, PeerFault } from '../wire/peer-fault.ts';
import type { HeaderRange } from './sync-bytes.ts';

export interface VerifiedHeader {
  readonly height: number;
  readonly cutId: string;
  readonly bytes: Uint8Array;
  readonly fields: CutHeader;
}

interface VerifiedRange {
  readonly headers: readonly VerifiedHeader[];
  readonly certificate: Uint8Array;
}

export class VerifiedHeaders {
  readonly #application: NetworkApplication;
  readonly #onUnknownSet: (height: number) => void;
  #ranges: VerifiedRange[] = [];

  /** `onUnknownSet` is called when a header follows the highest one and names another set than that one said. */
  constructor(application: NetworkApplication, onUnknownSet: (height: number) => void) {
    this.#application = application;
    this.#onUnknownSet = onUnknownSet;
  }

  /** The highest height that is proven: of these headers or the tip. */
  get height(): number {
    return Math.max(this.#application.tip.height, this.#last?.height ?? 0);
  }

  get count(): number {
    return this.#ranges.reduce((sum, { headers }) => sum + headers.length, 0);
  }

  /** The set that signs the next header. */
  get nextSetId(): string {
    return this.#trusted().nextValidatorSetId;
  }

  at(height: number): VerifiedHeader | undefined {
    for (const { headers } of this.#ranges) {
      const first = (headers[0] as VerifiedHeader).height;
      if (height < first) return undefined;
      if (height < first + headers.length) return headers[height - first];
    }
    return undefined;
  }

  /** The range that a height belongs to, and its place in it. */
  rangeOf(height: number): (VerifiedRange & { readonly place: number }) | undefined {
    const range = this.#ranges.find(({ headers }) => (headers.at(-1)?.height ?? 0) >= height);
    const first = range?.headers[0]?.height;
    if (range === undefined || first === undefined || height < first) return undefined;
    return { ...range, place: height - first };
  }

  /**
   * Adds headers that follow the highest one; throws a `PeerFault` if they are not proven to. False if the set that signs
   * them is another than the highest one names: the sender may follow a recovery.
   */
  add({ headers, certificate }: HeaderRange, set: ValidatorSet): boolean {
    const verified = decoded(() => headers.map(readHeader));
    const links = verified.map(linkOf);
    const trusted = this.#trusted();
    const fault = checkLinks(trusted, links);
    if (fault === 'unexpected_set' && links[0]?.validatorSetId !== trusted.nextValidatorSetId) {
      this.#onUnknownSet(trusted.height + 1);
      return false;
    }
    if (fault !== undefined)
      throw new PeerFault('invalid', `sent headers that do not follow: ${fault}`);
    if (links.at(-1)?.validatorSetId !== trusted.nextValidatorSetId)
      throw new PeerFault('invalid', 'sent headers of two sets with one certificate');
    const { chainId } = this.#application.manifest;
    decoded(() => checkCut(headers.at(-1) as Uint8Array, certificate, set, chainId));
    this.#ranges.push({ headers: verified, certificate });
    return true;
  }

  /** Forgets headers that are final here, and all headers if they do not follow the tip any more. */
  follow(): void {
    const { height, cutId: tipId } = this.#application.tip;
    this.#ranges = this.#ranges.filter(({ headers }) => (headers.at(-1)?.height ?? 0) > height);
    const next = this.at(height + 1);
    const follows = next !== undefined && toHex(next.fields.parentCutId) === tipId;
    if (!follows) this.#ranges = [];
  }

  get #last(): VerifiedHeader | undefined {
    return this.#ranges.at(-1)?.headers.at(-1);
  }

  #trusted(): HeaderLink {
    const last = this.#last;
    if (last !== undefined) {
      const link = linkOf(last);
      const recovered = this.#application.recoveredSet?.(last.cutId);
      return recovered === undefined ? link : { ...link, nextValidatorSetId: recovered.id };
    }
    const { tip, tipTimeMillis } = this.#application;
    const setId = this.#application.nextValidatorSet().id;
    return {
      id: tip.cutId as CutId,
      height: tip.height as Height,
      parentId: '' as CutId,
      timeMs: BigInt(tipTimeMillis),
      validatorSetId: setId,
      nextValidatorSetId: setId,
    };
  }
}

/** A header by itself; nothing says yet that it is final. */
export function readHeader(bytes: Uint8Array): VerifiedHeader {
  const fields = decodeCutHeader(bytes);
  const { height } = fields;
  if (height > BigInt(Number.MAX_SAFE_INTEGER)) throw new PeerFault('invalid', `height ${height}`);
  return { height: Number(height), cutId: toHex(cutId(bytes)), bytes, fields };
}

function linkOf({ height, cutId: id, fields }: VerifiedHeader): HeaderLink {
  return {
    id: id as CutId,
    height: height as Height,
    parentId: toHex(fields.parentCutId) as CutId,
    timeMs: fields.time,
    validatorSetId: toHex(fields.validatorSetId),
    nextValidatorSetId: toHex(fields.nextValidatorSetId),
  };
}
