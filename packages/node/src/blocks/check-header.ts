/**
 * What can be said about a block before anything costly is done, the cheapest first: the form of the header,
 * the anchor and its window, the target, whether the block is known, whether a cut has registered its body, the
 * sizes, and that the body is the one that the header commits to. Several blocks may wait with one body: which of
 * them a cut registers, validators decide.
 */
import {
  BLOCK_BODY_BYTES_MAX,
  blockKey,
  isRegistrable,
  registrationWindowEnd,
  type StateView,
} from 'svc-ledger';
import type { BlockAdmission } from 'svc-serve/ports';
import { equalBytes, LABELS, SvcError, toHex } from 'svc-wasm/base';
import { type DecodedBlockHeader, decodeBlockHeader, hashLabel } from 'svc-wasm/protocol';
import type { Anchors } from './anchors.ts';

export type Refused = Extract<BlockAdmission, { readonly type: 'late' | 'refused' }>;
export type Settled = Refused | { readonly type: 'known'; readonly id: string };

export interface HeaderContext {
  readonly chainId: Uint8Array;
  readonly anchors: Anchors;
  readonly view: StateView;
  /** Whether the block is here already. */
  readonly isHere: (id: string) => boolean;
}

export interface PlausibleBlock {
  readonly type: 'plausible';
  readonly id: string;
  readonly bodyRoot: string;
}

export function refused(code: string, message: string): Refused {
  return { type: 'refused', code, message };
}

/** The refusal that an error of the protocol module is; other errors are passed on. */
export function refusalOf(error: unknown): Refused {
  if (!(error instanceof SvcError)) throw error;
  return refused(error.code, error.message);
}

export function checkHeader(
  context: HeaderContext,
  header: Uint8Array,
  body: Uint8Array,
): PlausibleBlock | Settled {
  const decoded = decode(context, header);
  if ('type' in decoded) return decoded;
  const anchorHeight = Number(decoded.anchorHeight);
  const id = toHex(decoded.id);
  const bodyRoot = toHex(decoded.bodyRoot);
  const settled =
    checkAnchor(context, decoded) ??
    checkKnown(context, id, anchorHeight, bodyRoot) ??
    checkBodyBytes(decoded, body);
  return settled ?? { type: 'plausible', id, bodyRoot };
}

function decode(context: HeaderContext, header: Uint8Array): DecodedBlockHeader | Refused {
  try {
    return decodeBlockHeader(header, context.chainId);
  } catch (error) {
    return refusalOf(error);
  }
}

export function late(anchorHeight: number, head: number): Refused {
  const end = registrationWindowEnd(anchorHeight);
  const message = `blocks of cut ${anchorHeight} are registered before cut ${end}; the next is ${head + 1}`;
  return { type: 'late', code: 'late', message };
}

export function bodyUsed(): Refused {
  return refused('body_used', 'the body was used for another block');
}

function checkAnchor(
  { anchors }: HeaderContext,
  { anchorHeight, anchorCutId, target }: DecodedBlockHeader,
): Refused | undefined {
  const head = anchors.newest.height;
  if (anchorHeight > BigInt(head))
    return refused('unknown_anchor', `the anchor is cut ${anchorHeight}, the head is cut ${head}`);
  const height = Number(anchorHeight);
  if (!isRegistrable(height, head + 1)) return late(height, head);
  const anchor = anchors.at(height);
  if (anchor?.cutId !== toHex(anchorCutId))
    return refused('unknown_anchor', `cut ${height} has another id than the anchor`);
  if (equalBytes(anchor.target, target)) return undefined;
  return refused('wrong_target', `cut ${height} sets the target ${toHex(anchor.target)}`);
}

function checkKnown(
  { isHere, view }: HeaderContext,
  id: string,
  anchorHeight: number,
  bodyRoot: string,
): Settled | undefined {
  const isKnown = isHere(id) || view.get('blocks', blockKey(anchorHeight, id)) !== undefined;
  if (isKnown) return { type: 'known', id };
  if (view.get('bodies', bodyRoot) === undefined) return undefined;
  return bodyUsed();
}

function checkBodyBytes({ bodyRoot }: DecodedBlockHeader, body: Uint8Array): Refused | undefined {
  if (body.length > BLOCK_BODY_BYTES_MAX) {
    const found = `expected at most ${BLOCK_BODY_BYTES_MAX} bytes, found ${body.length}`;
    return refused('bad_length', `body: ${found}`);
  }
  if (equalBytes(hashLabel(LABELS.body, body), bodyRoot)) return undefined;
  return refused('bad_block', 'header.bodyRoot: the body is not the one the header commits to');
}
