/**
 * Witnesses without cryptography: a test names the signers, and the answer is whether they are the required ones.
 * Referenced keys must be in the registry, as with real witnesses.
 */
import type { Address, Identifier } from '../../src/identifiers.ts';
import type { Signatures } from '../../src/transaction.ts';

export interface Signers {
  /** Who signed each input, by address. */
  readonly inputs: readonly Address[];
  readonly owner: Address | null;
  readonly possession: boolean;
  /** Key hashes that a referenced witness needs. */
  readonly referenced: readonly Identifier[];
}

export class TestSignatures implements Signatures {
  readonly #signers = new Map<Identifier, Signers>();

  sign(transactionId: Identifier, signers: Signers): void {
    this.#signers.set(transactionId, signers);
  }

  verify: Signatures['verify'] = ({ id, operation }, spent, owner, keys) => {
    const signers = this.#signers.get(id);
    if (signers === undefined) return false;
    const asksPossession = operation !== null && 'consensusKey' in operation;
    return (
      spent.every(({ address }, index) => signers.inputs[index] === address) &&
      (owner === null || signers.owner === owner) &&
      (!asksPossession || signers.possession) &&
      signers.referenced.every((keyHash) => keys(keyHash) !== undefined)
    );
  };
}
