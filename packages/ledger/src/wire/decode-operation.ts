/**
 * Operations from the decoder's view of a body to the ledger's form.
 */
import { keyHash, operationType, showBody, type TransactionTable } from 'svc-wasm/protocol';
import type { Address } from '../identifiers.ts';
import type { Operation } from '../operation.ts';
import { decodeAddress, fromHex, type Network, toHex } from '../protocol.ts';
import type { PublicKey } from '../records.ts';

type Data = Readonly<Record<string, string>>;

export function publicKeyOf(publicKey: Uint8Array): PublicKey {
  return { publicKey, keyHash: toHex(keyHash(publicKey)) };
}

/** The operation of a decoded transaction, or null. */
export function decodeOperation(table: TransactionTable, network: Network): Operation | null {
  if (table.operation === 0) return null;
  const { operation } = showBody(table, network);
  const data = (operation?.data ?? {}) as Data;
  const field = (name: string): string => data[name] ?? '';
  const address = (name: string): Address => toHex(decodeAddress(field(name), network, name));
  const key = (): PublicKey => publicKeyOf(fromHex(field('consensus_public_key_hex')));
  const endpoint = (): Uint8Array => fromHex(field('overlay_endpoint_hex'));
  const validatorId = field('validator_id');
  const positionId = field('position_id');
  const type = operationType(table.operation);
  switch (type) {
    case 'bond':
      return {
        type,
        validatorId,
        ownerAddress: address('owner_address'),
        rewardAddress: address('reward_address'),
        amount: BigInt(field('amount')),
      };
    case 'unbond':
      return { type, positionId, amount: BigInt(field('amount')) };
    case 'withdraw':
      return { type, positionId };
    case 'validator_register':
      return {
        type,
        ownerAddress: address('owner_address'),
        rewardAddress: address('reward_address'),
        amount: BigInt(field('amount')),
        commissionBps: Number(field('commission_bps')),
        consensusKey: key(),
        endpoint: endpoint(),
      };
    case 'heartbeat':
      return { type, validatorId, epoch: BigInt(field('epoch')) };
    case 'reward_address':
      return { type, positionId, rewardAddress: address('reward_address') };
    case 'rotate_key':
    case 'endpoint':
      return { type, validatorId, consensusKey: key(), endpoint: endpoint() };
    case 'commission':
      return { type, validatorId, commissionBps: Number(field('commission_bps')) };
    case 'exit':
      return { type, validatorId };
  }
}
