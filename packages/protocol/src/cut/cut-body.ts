/**
 * Bodies of cuts: the ids of the blocks registered and the evidence; `docs/protocol.md` 8.2.
 */
import { expectBytes, toHex } from '../base/bytes.ts';
import { LABELS } from '../base/labels.ts';
import { Reader } from '../base/reader.ts';
import { ID_BYTES } from '../base/sizes.ts';
import { Writer } from '../base/writer.ts';
import { hashLabel } from '../kernel/hash-label.ts';
import { expectAtMost, expectThat } from './check.ts';
import type { Evidence } from './evidence.ts';
import { encodeEvidence, readEvidence } from './evidence.ts';
import { EVIDENCE_MAX, REGISTERED_BLOCKS_MAX } from './limits.ts';

export interface CutBody {
  /** Ids of the registered blocks, in the order of their execution. */
  readonly blockIds: readonly Uint8Array[];
  readonly evidence: readonly Evidence[];
}

export function encodeCutBody(body: CutBody, path = 'body'): Uint8Array {
  checkCutBody(body, path);
  const writer = new Writer().varint(body.blockIds.length);
  body.blockIds.forEach((id, index) => {
    writer.raw(expectBytes(id, `${path}.blockIds[${index}]`, ID_BYTES));
  });
  writer.varint(body.evidence.length);
  body.evidence.forEach((evidence, index) => {
    writer.raw(encodeEvidence(evidence, `${path}.evidence[${index}]`));
  });
  return writer.finish();
}

export function decodeCutBody(bytes: Uint8Array, path = 'body'): CutBody {
  const reader = new Reader(expectBytes(bytes, path), path);
  const blockCount = expectAtMost(reader.varint(), REGISTERED_BLOCKS_MAX, `${path}.blockIds`);
  const blockIds = Array.from({ length: blockCount }, () => reader.raw(ID_BYTES));
  const evidenceCount = expectAtMost(reader.varint(), EVIDENCE_MAX, `${path}.evidence`);
  const evidence = Array.from({ length: evidenceCount }, (_, index) =>
    readEvidence(reader, `${path}.evidence[${index}]`),
  );
  reader.end();
  const body = { blockIds, evidence };
  checkCutBody(body, path);
  return body;
}

export function registeredRoot(blockIds: readonly Uint8Array[]): Uint8Array {
  return hashLabel(LABELS.registered, ...blockIds);
}

export function evidenceRoot(evidence: readonly Evidence[]): Uint8Array {
  const encoded = evidence.map((item) => encodeEvidence(item));
  return hashLabel(LABELS.evidence, new Writer(1).varint(evidence.length).finish(), ...encoded);
}

function checkCutBody(body: CutBody, path: string): void {
  expectAtMost(body.blockIds.length, REGISTERED_BLOCKS_MAX, `${path}.blockIds`);
  expectAtMost(body.evidence.length, EVIDENCE_MAX, `${path}.evidence`);
  expectDistinct(body.blockIds, `${path}.blockIds`);
}

function expectDistinct(ids: readonly Uint8Array[], path: string): void {
  const seen = new Set(ids.map((id) => toHex(id)));
  expectThat(seen.size === ids.length, 'bad_cut', 'a block id occurs twice', path);
}
