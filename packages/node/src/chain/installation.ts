/**
 * Cuts that others decided, as they are given to a chain: their bytes, links and certificates by themselves.
 */
import {
  type CutId,
  checkLinks,
  decodeCut,
  type EncodedCut,
  HEADERS_PER_REQUEST_MAX,
  type HeaderLink,
  height as heightOf,
} from 'svc-finality';
import type { BlockBytes } from 'svc-storage';
import { SvcError, toHex } from 'svc-wasm/base';
import { checkCut, cutId, decodeCutHeader, type ValidatorSet } from 'svc-wasm/protocol';
import type { FinalizedCut } from '../ports/chain.ts';

export interface CutToInstall {
  readonly header: Uint8Array;
  readonly body: Uint8Array;
  /** Null only for a cut that `vouch` has shown to be final. */
  readonly certificate: Uint8Array | null;
  /** Every block that the cut registers. */
  readonly blocks: readonly BlockBytes[];
}

/** `refused` blames whoever gave the cut. */
export type Installation =
  | { readonly type: 'installed'; readonly cut: FinalizedCut }
  | { readonly type: 'known' }
  | { readonly type: 'ahead' }
  | { readonly type: 'refused'; readonly reason: string };

export type Vouching =
  | { readonly type: 'vouched'; readonly height: number }
  | { readonly type: 'refused'; readonly reason: string };

export interface CertificateSources {
  readonly chainId: Uint8Array;
  /** The set that signs at a height, if it is known. */
  readonly setAt: (height: number) => ValidatorSet | undefined;
}

/** Why the certificate does not prove the cut, or null. */
export function certificateFault(
  header: Uint8Array,
  certificate: Uint8Array,
  { chainId, setAt }: CertificateSources,
): string | null {
  const set = setAt(Number(decodeCutHeader(header).height));
  if (set === undefined) return 'the validator set of its height is not known';
  return refusalOf(() => checkCut(header, certificate, set, chainId));
}

/** The links of headers that follow one another from a link on, or what is wrong with them. */
export function followingLinks(
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

/** The cut, or what is wrong with its bytes. */
export function readCut({ header, body }: CutToInstall): EncodedCut | string {
  try {
    return decodeCut(header, body);
  } catch (error) {
    if (error instanceof SvcError) return `${error.code}: ${error.message}`;
    throw error;
  }
}

function refusalOf(check: () => unknown): string | null {
  try {
    check();
    return null;
  } catch (error) {
    if (error instanceof SvcError) return `${error.code}: ${error.message}`;
    throw error;
  }
}
