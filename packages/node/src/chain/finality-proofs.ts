/**
 * Proofs that cuts which others decided are final: the certificate of a cut, or a later certified header that
 * leads back to it. A proof says nothing about what the cut does; the chain computes that all the same.
 */
import {
  type CutId,
  checkLinks,
  type EncodedCut,
  HEADERS_PER_REQUEST_MAX,
  type HeaderLink,
  height as heightOf,
} from 'svc-consensus/machine';
import { SvcError, toHex } from 'svc-wasm/base';
import { checkCut, cutId, decodeCutHeader, type ValidatorSet } from 'svc-wasm/protocol';
import type { ValidatorSets } from './validator-sets.ts';

export type Vouching =
  | { readonly type: 'vouched'; readonly height: number }
  | { readonly type: 'refused'; readonly reason: string };

/** The head of the chain, and the set that signs the cut after it. */
export interface ProofStart {
  readonly height: number;
  readonly cutId: string;
  readonly timeMillis: number;
  readonly validators: ValidatorSet;
}

export class FinalityProofs {
  readonly #chainId: Uint8Array;
  readonly #sets: Pick<ValidatorSets, 'at'>;
  /** The ids of cuts that lead to a certified one, by height. */
  readonly #vouched = new Map<number, string>();

  constructor(chainId: Uint8Array, sets: Pick<ValidatorSets, 'at'>) {
    this.#chainId = chainId;
    this.#sets = sets;
  }

  /** Remembers headers that follow the head as final, if the certificate proves the last of them. */
  vouch(start: ProofStart, headers: readonly Uint8Array[], certificate: Uint8Array): Vouching {
    const links = followingLinks(headLink(start), headers);
    if (typeof links === 'string') return { type: 'refused', reason: links };
    const last = links.at(-1) as HeaderLink;
    const set = this.#setOf(last, start);
    const fault = this.#certificateFault(headers.at(-1) as Uint8Array, certificate, set);
    if (fault !== null) return { type: 'refused', reason: fault };
    for (const { height, id } of links) this.#vouched.set(height, id);
    return { type: 'vouched', height: last.height };
  }

  /** Why a cut is not proven final, or null. Without a certificate it must have been vouched for. */
  faultOf({ header, fields, value }: EncodedCut, certificate: Uint8Array | null): string | null {
    const height = Number(fields.height);
    if (certificate !== null)
      return this.#certificateFault(header, certificate, this.#sets.at(height));
    return this.#vouched.get(height) === value ? null : 'there is no certificate for it';
  }

  forgetUpTo(height: number): void {
    for (const known of this.#vouched.keys()) if (known <= height) this.#vouched.delete(known);
  }

  /** A set may continue unchanged into epochs that have not begun here; the links show that it is the same. */
  #setOf({ validatorSetId, height }: HeaderLink, { validators }: ProofStart) {
    return toHex(validators.id) === validatorSetId ? validators : this.#sets.at(height);
  }

  #certificateFault(
    header: Uint8Array,
    certificate: Uint8Array,
    set: ValidatorSet | undefined,
  ): string | null {
    if (set === undefined) return 'the validator set of its height is not known';
    return refusalOf(() => checkCut(header, certificate, set, this.#chainId));
  }
}

function headLink({ height, cutId: id, timeMillis, validators }: ProofStart): HeaderLink {
  const setId = toHex(validators.id);
  return {
    id: id as CutId,
    height: heightOf(height),
    parentId: '' as CutId,
    timeMs: BigInt(timeMillis),
    validatorSetId: setId,
    nextValidatorSetId: setId,
  };
}

/** The links of headers that follow one another from a link on, or what is wrong with them. */
function followingLinks(
  trusted: HeaderLink,
  headers: readonly Uint8Array[],
): readonly HeaderLink[] | string {
  if (headers.length === 0 || headers.length > HEADERS_PER_REQUEST_MAX)
    return `expected 1 to ${HEADERS_PER_REQUEST_MAX} headers, found ${headers.length}`;
  let links: HeaderLink[] = [];
  const malformed = refusalOf(() => {
    links = headers.map(linkOf);
  });
  return malformed ?? checkLinks(trusted, links) ?? links;
}

function linkOf(header: Uint8Array): HeaderLink {
  const fields = decodeCutHeader(header);
  if (fields.height > BigInt(Number.MAX_SAFE_INTEGER))
    throw new SvcError('out_of_range', `height ${fields.height}`);
  return {
    id: toHex(cutId(header)) as CutId,
    height: heightOf(Number(fields.height)),
    parentId: toHex(fields.parentCutId) as CutId,
    timeMs: fields.time,
    validatorSetId: toHex(fields.validatorSetId),
    nextValidatorSetId: toHex(fields.nextValidatorSetId),
  };
}

/** The code and message of an `SvcError` that the check throws, or null. */
export function refusalOf(check: () => unknown): string | null {
  try {
    check();
    return null;
  } catch (error) {
    if (error instanceof SvcError) return `${error.code}: ${error.message}`;
    throw error;
  }
}
