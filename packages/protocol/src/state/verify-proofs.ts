/**
 * Proofs about the state as their receiver checks them: against a certified cut, and for what was asked for. Each
 * check has a typed form and one that gives a JSON document.
 */
import { equalBytes, fromHex, toHex } from '../base/bytes.ts';
import { Fields } from '../base/fields.ts';
import { expectInteger } from '../base/integer.ts';
import { expectNetwork } from '../base/networks.ts';
import { ID_BYTES } from '../base/sizes.ts';
import { SvcError } from '../base/svc-error.ts';
import { CertifiedCut } from '../cut/certified-cut.ts';
import { decodeNetworkAddress, encodeAddress } from '../text/address.ts';
import { checkCompletenessProof } from './completeness-proof.ts';
import { checkOutputProof } from './output-proof.ts';

const OUTPUT_INDEX_MAX = 0xffff_ffff;

/** An output that is unspent after a certified cut. */
export interface ProvenUtxo {
  readonly transactionId: string;
  readonly outputIndex: number;
  readonly address: string;
  readonly amount: bigint;
  /** What the output's address has in all after the cut. */
  readonly addressBalance: bigint;
  readonly addressOutputs: bigint;
}

/** One of the outputs of an address. */
export interface ProvenOutput {
  readonly transactionId: string;
  readonly outputIndex: number;
  readonly amount: bigint;
}

/** Every output that an address has after a certified cut. */
export interface ProvenAddress {
  readonly outputs: readonly ProvenOutput[];
  readonly balance: bigint;
}

/** Refuses a proof that is about another output or does not lead to the cut's state root. */
export function checkUtxoProof(
  proof: Uint8Array,
  cut: CertifiedCut,
  transactionId: string,
  outputIndex: number,
  network: string,
): ProvenUtxo {
  const addressNetwork = expectNetwork(network, 'network');
  const index = expectInteger(outputIndex, 'outputIndex', 0, OUTPUT_INDEX_MAX);
  const id = fromHex(transactionId, 'transactionId', ID_BYTES);
  const { output, address } = checkOutputProof(proof, CertifiedCut.rootsOf(cut).state);
  if (output.outputIndex !== index || !equalBytes(output.transactionId, id)) {
    const found = `${toHex(output.transactionId)}:${output.outputIndex}`;
    throw new SvcError('bad_proof', `the proof is about another output: ${found}`, {
      path: 'proof',
    });
  }
  return {
    transactionId: toHex(output.transactionId),
    outputIndex: output.outputIndex,
    address: encodeAddress(output.address, addressNetwork),
    amount: output.amount,
    addressBalance: address.sum,
    addressOutputs: address.count,
  };
}

/** Refuses a proof that is about another address or does not lead to the cut's state root. */
export function checkAddressCompleteness(
  proof: Uint8Array,
  cut: CertifiedCut,
  address: string,
): ProvenAddress {
  const { bytes } = decodeNetworkAddress(address);
  const proven = checkCompletenessProof(proof, CertifiedCut.rootsOf(cut).state, bytes);
  const outputs = proven.outputs.map(({ transactionId, outputIndex, amount }) => ({
    transactionId: toHex(transactionId),
    outputIndex,
    amount,
  }));
  return { outputs, balance: proven.balance };
}

/**
 * Checks that an output, `{transaction_id, output_index}`, is unspent after a certified cut. Returns `{transaction_id,
 * output_index, address, amount, address_balance, address_outputs}` as JSON, integers as decimal strings and amounts in
 * atoms.
 */
export function verifyUtxoProof(
  proof: Uint8Array,
  cut: CertifiedCut,
  outpointJson: string,
  network: string,
): string {
  const fields = Fields.parse(outpointJson, 'outpoint', ['transaction_id', 'output_index']);
  const id = toHex(fields.hex('transaction_id', ID_BYTES));
  const index = fields.decimal('output_index', { max: BigInt(OUTPUT_INDEX_MAX) });
  const proven = checkUtxoProof(proof, cut, id, Number(index), network);
  return JSON.stringify({
    transaction_id: proven.transactionId,
    output_index: proven.outputIndex.toString(),
    address: proven.address,
    amount: proven.amount.toString(),
    address_balance: proven.addressBalance.toString(),
    address_outputs: proven.addressOutputs.toString(),
  });
}

/**
 * Checks that a proof lists every output that the address has after a certified cut. Returns `{outputs:
 * [{transaction_id, output_index, amount}], balance}` as JSON, integers as decimal strings and amounts in atoms.
 */
export function verifyAddressCompleteness(
  proof: Uint8Array,
  cut: CertifiedCut,
  address: string,
): string {
  const { outputs, balance } = checkAddressCompleteness(proof, cut, address);
  return JSON.stringify({
    outputs: outputs.map(({ transactionId, outputIndex, amount }) => ({
      transaction_id: transactionId,
      output_index: outputIndex.toString(),
      amount: amount.toString(),
    })),
    balance: balance.toString(),
  });
}
