/**
 * Proofs and the header that they lead to, of one cut. Proofs are made from the live trees, so the head is
 * compared before and after; if a cut came between, they are made again.
 */
import type { CutReference } from 'svc-api';
import { cutReference } from '../../documents/cut-documents.ts';
import { Refused } from '../../refusal/refused.ts';
import type { RoutePorts } from '../routes/handler.ts';

export interface Proven<T> {
  readonly height: number;
  readonly cut: CutReference;
  readonly header: Uint8Array;
  readonly result: T;
}

const ATTEMPTS = 4;
const RETRY_MILLIS = 1_000;

export async function proveAtHead<T>(
  { services, readers }: Pick<RoutePorts, 'services' | 'readers'>,
  prove: () => Promise<T>,
): Promise<Proven<T>> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { height } = services.chain.head;
    if (height === 0) throw new Refused('not_yet', 'there is no finalized cut yet');
    const result = await prove();
    const row = await readers.read(({ reader }) => reader.cut(height));
    if (row === undefined || services.chain.head.height !== height) continue;
    return { height, cut: cutReference(row), header: row.header, result };
  }
  const retryAfterMillis = RETRY_MILLIS;
  throw new Refused('overloaded', 'cuts came faster than the proof', { retryAfterMillis });
}
