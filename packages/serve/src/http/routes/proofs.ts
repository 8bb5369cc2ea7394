/**
 * Proofs, and the header of the cut that they lead to.
 */
import type { CutReference } from 'svc-api';
import { toHex } from 'svc-wasm/base';
import { encodeListProof } from 'svc-wasm/protocol';
import { cutReference, expectCut, expectKept } from '../../documents/cuts.ts';
import { Refused } from '../../refusal.ts';
import { finalizedAt, type Handler, type RoutePorts } from './handler.ts';

export const addressProof: Handler<'addressProof'> = async (ports, { params: { address } }) => {
  const hex = ports.addresses.hex(address);
  const { height, cut, header, result } = await proveAtHead(ports, () =>
    ports.services.proofs.address(hex),
  );
  if (result === undefined) {
    throw new Refused('too_many_items', 'the address has more outputs than a proof can list');
  }
  const document = {
    api_version: 1,
    address,
    finalized_height: height,
    cut,
    header_hex: toHex(header),
    proof_hex: toHex(result),
  } as const;
  return { height, document };
};

export const proofsChanges: Handler<'proofsChanges'> = (
  { readers, addresses, cutLists },
  { body },
) => {
  const hexes = addresses.hexes(body.addresses);
  return readers.read(async ({ reader, height: finalized }) => {
    const { height } = body;
    expectKept(reader, height, reader.retention.indexedFrom);
    const cut = await expectCut(reader, height);
    const proof = await cutLists.proveChanges(reader, cut, hexes);
    return finalizedAt(finalized, {
      height,
      cut_id: cut.cutId,
      proof_hex: toHex(proof),
    });
  });
};

export const proofsCuts: Handler<'proofsCuts'> = ({ readers, services }, { body }) =>
  readers.read(async ({ reader, height: finalized }) => {
    const { height = finalized, heights, ids_only = false } = body;
    await expectCut(reader, height);
    const earlier = [...new Set(heights)].sort((a, b) => a - b);
    if (earlier.some((each) => each >= height))
      throw new Refused('not_found', `expected heights below ${height}`, { path: 'heights' });
    const rows = ids_only ? [] : await Promise.all(earlier.map((each) => expectCut(reader, each)));
    const proof = services.proofs.cuts(height, earlier);
    if (proof === undefined)
      throw new Refused('not_kept', 'this node is still fetching earlier cuts', {
        path: 'heights',
      });
    return finalizedAt(finalized, {
      height,
      cuts: earlier.map((each, place) => {
        const row = rows[place];
        const cut_id = toHex(proof.leaves[place] as Uint8Array);
        return { height: each, cut_id, ...(row && { header_hex: toHex(row.header) }) };
      }),
      proof_hex: toHex(encodeListProof(proof.list)),
    });
  });

export const proofsOutcomes: Handler<'proofsOutcomes'> = ({ readers, cutLists }, { body }) =>
  readers.read(async ({ reader, height: finalized }) => {
    const { height, transaction_ids } = body;
    expectKept(reader, height, reader.retention.indexedFrom);
    const cut = await expectCut(reader, height);
    const proof = await cutLists.proveOutcomes(reader, cut, transaction_ids);
    return finalizedAt(finalized, {
      height,
      cut_id: cut.cutId,
      proof_hex: toHex(proof),
    });
  });

export const proofsUtxos: Handler<'proofsUtxos'> = async (ports, { body }) => {
  const { proofs } = ports.services;
  const { height, cut, header, result } = await proveAtHead(ports, async () => {
    const made: (Uint8Array | undefined)[] = [];
    for (const { transaction_id, output_index } of body.outpoints) {
      made.push(await proofs.output({ transactionId: transaction_id, outputIndex: output_index }));
    }
    return made;
  });
  return finalizedAt(height, {
    cut,
    header_hex: toHex(header),
    proofs: body.outpoints.map((outpoint, index) => {
      const proof = result[index];
      const proof_hex = proof === undefined ? null : toHex(proof);
      return { outpoint, included: proof !== undefined, proof_hex };
    }),
  });
};

export const economicsSupplyProof: Handler<'economicsSupplyProof'> = async (ports) => {
  const { height, cut, header, result } = await proveAtHead(ports, () =>
    ports.services.proofs.totals(),
  );
  return finalizedAt(height, {
    cut,
    header_hex: toHex(header),
    proof_hex: toHex(result),
  });
};

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
