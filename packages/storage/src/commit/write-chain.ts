/**
 * The chain's own bytes: header, body and certificate of a cut, and the blocks it registers. They cannot
 * be recomputed, so each has a checksum.
 */
import type { CommitteeMember } from 'svc-ledger';
import { liesInFile } from '../bodies/body-records.ts';
import type { BatchBuilder } from './batch-builder.ts';
import type { BlockBytes, CutCommit } from './cut-commit.ts';
import { trimCertificate } from './trim-certificate.ts';

export function writeChain(
  batch: BatchBuilder,
  { input, header, body, certificate }: CutCommit,
  cutId: string,
  members: readonly CommitteeMember[],
): void {
  const { height } = input;
  writeCut(batch, height, { cutId, header, body });
  if (certificate === null) return;
  const trimmed = trimCertificate(certificate, members);
  batch.putChecked(batch.key('certificates').numberOrdered(height).finish(), trimmed);
}

/** The header of a cut, by its height and its id, and its body. */
export function writeCut(
  batch: BatchBuilder,
  height: number,
  { cutId, header, body }: { cutId: string; header: Uint8Array; body: Uint8Array },
): void {
  const value = batch.packer.hex(cutId).raw(header).finish();
  batch.putChecked(batch.key('headers').numberOrdered(height).finish(), value);
  const byId = batch.key('cutIds').hex(cutId).finish();
  batch.put(byId, batch.packer.number(height).finish());
  batch.putChecked(batch.key('cutBodies').numberOrdered(height).finish(), body);
}

/** Bodies that are in files may have been written before. */
export function writeBlocks(
  batch: BatchBuilder,
  blocks: readonly BlockBytes[],
  { withLarge = true } = {},
): void {
  for (const { id, header, body } of blocks) {
    batch.putChecked(batch.key('blockHeaders').hex(id).finish(), header);
    if (withLarge || !liesInFile(body)) writeBody(batch, id, body);
  }
}

export function writeLargeBodies(batch: BatchBuilder, blocks: readonly BlockBytes[]): void {
  for (const { id, body } of blocks) if (liesInFile(body)) writeBody(batch, id, body);
}

function writeBody(batch: BatchBuilder, id: string, body: Uint8Array): void {
  batch.putChecked(batch.key('blockBodies').hex(id).finish(), body);
}
