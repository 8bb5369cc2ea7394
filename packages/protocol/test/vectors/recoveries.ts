/**
 * Recoveries of section 8.9: one document, what it names, and documents that are refused.
 */
import { fromHex, toHex } from '../../src/base/bytes.ts';
import { CONTEXTS, contextBytes } from '../../src/base/labels.ts';
import {
  expectRecoveryOf,
  formatRecovery,
  parseRecovery,
  type RecoveredMember,
  type RecoveryPlace,
  recoveryWords,
  signSeat,
} from '../../src/cut/recovery.ts';
import { init } from '../../src/entry/node.ts';
import { mlDsa65 } from '../../src/kernel/ml-dsa.ts';
import { seededBytes } from '../seeded-bytes.ts';
import { CHAIN_ID, committeeOf, type Signer, sampleSigner } from '../testing/validators.ts';
import { codeOf } from './refused.ts';

await init();

const PLACE: RecoveryPlace = {
  network: 'mainnet',
  chainId: toHex(CHAIN_ID),
  height: 999,
  cutId: toHex(seededBytes('last cut', 48)),
  timeMillis: 1_800_000_000_000,
};
const SIGNERS = ['a', 'b', 'c', 'd'].map((name, index) => sampleSigner(name, BigInt(10 + index)));
const BEFORE = committeeOf(SIGNERS);

/** A member whose two signatures are made without randomness, and what they sign. */
function memberOf(signer: Signer): { readonly member: RecoveredMember; readonly message: string } {
  const next = sampleSigner(`after ${toHex(signer.id)}`, 1n);
  const seat = { validatorId: toHex(signer.id), stake: signer.stake, publicKey: next.publicKey };
  const hedged = signSeat(PLACE, seat, { next: next.secretKey, before: signer.secretKey });
  const { id: message } = parseRecovery(formatRecovery(PLACE, [hedged]));
  const sign = ({ secretKey }: Signer) =>
    mlDsa65.sign(secretKey, fromHex(message), {
      context: contextBytes(CONTEXTS.recovery),
      random: new Uint8Array(32),
    });
  return { member: { ...hedged, possession: sign(next), consent: sign(signer) }, message };
}

interface Change {
  readonly name: string;
  /** Where the field is: in the first member, or in the document. */
  readonly in: 'member' | 'document';
  readonly field: string;
  readonly value: string;
}

const REFUSED: readonly Change[] = [
  { name: 'another version', in: 'document', field: 'recovery_version', value: '2' },
  { name: 'another height', in: 'document', field: 'height', value: '1000' },
  { name: 'a height with a leading zero', in: 'document', field: 'height', value: '0999' },
  { name: 'another cut', in: 'document', field: 'cut_id', value: 'ab'.repeat(48) },
  { name: 'another network', in: 'document', field: 'network', value: 'testnet' },
  { name: 'another stake', in: 'member', field: 'stake', value: '99' },
  { name: 'no stake', in: 'member', field: 'stake', value: '0' },
  { name: 'a short key', in: 'member', field: 'consensus_public_key', value: 'ab' },
  { name: 'an unknown field', in: 'member', field: 'more', value: '' },
];

export function recoveryVectors(): object {
  const agreed = SIGNERS.slice(0, 2).map(memberOf);
  const text = formatRecovery(
    PLACE,
    agreed.map(({ member }) => member),
  );
  const recovery = parseRecovery(text);
  expectRecoveryOf(recovery, BEFORE.set);
  return {
    note: 'A recovery of section 8.9 of docs/protocol.md. `before` is the set that was to sign the next cut. Members sign `messages`, by ascending validator id, under svc/recovery/v1, here without randomness. Each entry of `refused` is the document with one field changed.',
    before: toHex(BEFORE.encodedSet),
    recovery: JSON.parse(text) as object,
    id: recovery.id,
    words: recoveryWords(recovery),
    messages: recovery.members.map(
      ({ validatorId }) => agreed.find(({ member }) => member.validatorId === validatorId)?.message,
    ),
    validator_set_id: toHex(recovery.set.id),
    refused: REFUSED.map((change) => ({
      ...change,
      code: codeOf(change.name, () => parseRecovery(changed(text, change))),
    })),
  };
}

function changed(text: string, { in: where, field, value }: Change): string {
  const document = JSON.parse(text) as Record<string, unknown> & { members: object[] };
  const [first, ...others] = document.members;
  return JSON.stringify(
    where === 'document'
      ? { ...document, [field]: value }
      : { ...document, members: [{ ...first, [field]: value }, ...others] },
  );
}
