/**
 * Recoveries of a test chain. Consent and the bytes of the document are not the ledger's business.
 */
import type { ChainRecovery } from '../../src/protocol.ts';
import { publicKeyOf, type TestChain } from './test-chain.ts';

type Member = ChainRecovery['members'][number];

/** A recovery of the head with these owners' validators, in the order of their ids, under keys named after them. */
export function recoveryOf(
  chain: TestChain,
  owners: readonly string[],
  change: (member: Member) => Member = (member) => member,
): ChainRecovery {
  const members = owners.map((owner): Member => {
    const validatorId = chain.validatorId(owner);
    const seat = chain.epoch.members.find((member) => member.validatorId === validatorId);
    const key = publicKeyOf(`recovered ${owner} at ${chain.height}`);
    const unsigned = { possession: new Uint8Array(0), consent: new Uint8Array(0) };
    return change({ validatorId, stake: seat?.stake ?? 0n, ...key, ...unsigned });
  });
  return {
    height: chain.height,
    members: members.sort((a, b) => (a.validatorId < b.validatorId ? -1 : 1)),
  } as Partial<ChainRecovery> as ChainRecovery;
}

/** From here on the chain follows the recovery too. */
export function recover(chain: TestChain, recovery: ChainRecovery): void {
  const recoveries = [...chain.parameters.recoveries, recovery];
  chain.parameters = { ...chain.parameters, recoveries };
}
