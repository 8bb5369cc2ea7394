/**
 * Makes one block without its proof of work: the body, and the header with a nonce of zeros.
 */
import type { TemplateDocument } from 'svc-api';
import { bytesOf, registrationWindowEnd } from 'svc-ledger';
import type { PooledTransaction } from 'svc-serve/ports';
import { toHex } from 'svc-wasm/base';
import {
  decodeBlockBody,
  encodeBlockBody,
  encodeBlockHeader,
  encodeExtranonce,
  type Manifest,
} from 'svc-wasm/protocol';
import type { Anchor } from '../blocks/anchors.ts';

export interface TemplateParts {
  readonly manifest: Manifest;
  readonly anchor: Anchor;
  readonly parents: readonly string[];
  /** As the ledger writes it. */
  readonly payout: string;
  readonly minerTag: string;
  /** The 11 bytes of the extranonce that no other template has. */
  readonly serial: Uint8Array;
  readonly transactions: readonly PooledTransaction[];
  /** Further templates for the payout carry the same transactions until this time. */
  readonly untilMillis: number;
}

export interface Template {
  readonly id: string;
  readonly anchorHeight: number;
  readonly header: Uint8Array;
  readonly body: Uint8Array;
  readonly document: TemplateDocument;
}

const NONCE = { offset: 288, bytes: 24 } as const;
const EXTRANONCE_IN_HEADER = 208;
const EXTRANONCE_IN_BODY = 50;
const FREE_BYTES = { offset: 21, bytes: 11 } as const;

export function makeTemplate(parts: TemplateParts): Template {
  const { manifest, anchor, parents, transactions } = parts;
  const extranonce = encodeExtranonce(parts.minerTag, parts.serial);
  const body = encodeBlockBody({
    payout: bytesOf(parts.payout),
    extranonce,
    parents: parents.map(bytesOf),
    transactions: transactions.map(({ wire }) => wire),
  });
  const { parentsRoot, bodyRoot, payoutCommitment } = decodeBlockBody(body, manifest);
  const header = encodeBlockHeader(
    {
      anchorHeight: BigInt(anchor.height),
      anchorCutId: bytesOf(anchor.cutId),
      parentsRoot,
      bodyRoot,
      payoutCommitment,
      extranonce,
      target: anchor.target,
      nonce: new Uint8Array(NONCE.bytes),
    },
    manifest.chainId,
  );
  const id = toHex(parts.serial);
  const document: TemplateDocument = {
    api_version: 1,
    template_id: id,
    anchor: { height: anchor.height, cut_id: anchor.cutId },
    target: toHex(anchor.target),
    registration_window_end: registrationWindowEnd(anchor.height),
    parents: [...parents],
    roots: { parents: toHex(parentsRoot), body: toHex(bodyRoot), payout: toHex(payoutCommitment) },
    header_hex: toHex(header),
    body_hex: toHex(body),
    extranonce: {
      hex: toHex(extranonce),
      header_offset: EXTRANONCE_IN_HEADER,
      body_offset: EXTRANONCE_IN_BODY,
      free: FREE_BYTES,
    },
    nonce: NONCE,
    transactions: transactions.map((transaction) => transaction.id),
    fees: String(transactions.reduce((sum, { fee }) => sum + fee, 0n)),
    transactions_until_millis: parts.untilMillis,
  };
  return { id, anchorHeight: anchor.height, header, body, document };
}
