/**
 * Payments out of 1, 2 and 8 outputs of one address whose key the chain knows: how many a work block takes, and
 * what one of eight inputs weighs, costs and takes to verify. Beside them stand the same payments with a
 * signature for each input and no declared fee.
 */
import { BLOCK_MASS_MAX } from 'svc-ledger';
import {
  addressFromPublicKey,
  assembleTransaction,
  encodeTransactionBody,
  encodeWitnessWithProfile,
  init,
  spendMessage,
  type TransactionVerification,
  verifyTransactionWithReferencedKeys,
  WalletRoot,
} from 'svc-wasm';
import { concatBytes, decodeAddress, toHex } from 'svc-wasm/base';
import {
  BLOCK_BODY_BYTES_MAX,
  checkTransactionBytes,
  createManifest,
  type Manifest,
  previousOutputBytes,
  type VerifyRequest,
} from 'svc-wasm/protocol';
import { type BenchOptions, compare, type Row } from './harness.ts';

const AMOUNT = 100_000_000n;
const FEE = 5_000_000n;
const OPERATIONS = 20;
/** Format, payout address, extranonce, eight parents and the counts of a block body. */
const BLOCK_HEAD_BYTES = 1 + 49 + 32 + 1 + 8 * 48 + 2;
/** The length in front of a transaction in a block. */
const LENGTH_BYTES = 3;

/** How many times as many payments a block takes, by inputs. */
const LIMITS = new Map([
  [1, 0.95],
  [2, 1.5],
  [8, 4],
]);

interface MadePayment {
  readonly wire: Uint8Array;
  readonly verification: TransactionVerification;
  readonly request: VerifyRequest;
}

function makePayment(root: WalletRoot, manifest: Manifest, inputs: number, repeats: boolean) {
  const publicKey = root.derivePublicKey(0, 0, 0);
  const address = addressFromPublicKey(publicKey, manifest.network);
  const paid = BigInt(inputs) * AMOUNT - FEE;
  const body = encodeTransactionBody(
    JSON.stringify({
      valid_from_height: '1',
      valid_until_height: '100',
      ...(repeats ? { fee: String(FEE) } : {}),
      inputs: Array.from({ length: inputs }, (_, index) => ({
        transaction_id: '5a'.repeat(48),
        output_index: String(index),
        ...(repeats && index > 0 ? { repeated: true } : {}),
      })),
      outputs: [
        {
          address: addressFromPublicKey(root.derivePublicKey(0, 0, 1), manifest.network),
          amount: '7',
        },
        { address, amount: String(paid - 7n) },
      ],
      payload_hex: '',
    }),
    manifest.json,
  );
  const previous = { address, amount: String(AMOUNT) };
  const witnesses = Array.from({ length: inputs }, (_, index) => {
    if (repeats && index > 0) return encodeWitnessWithProfile('repeated', null, null);
    const message = spendMessage(body, index, JSON.stringify(previous), manifest.json);
    return encodeWitnessWithProfile('referenced', null, root.sign(0, 0, 0, message, true));
  });
  const wire = assembleTransaction(body, witnesses, manifest.json);
  const spent = previousOutputBytes(decodeAddress(address, manifest.network), AMOUNT);
  const verification = verifyTransactionWithReferencedKeys(
    wire,
    JSON.stringify(witnesses.map(() => previous)),
    null,
    JSON.stringify([{ public_key_hex: toHex(publicKey) }]),
    manifest.json,
  );
  return {
    wire,
    verification: JSON.parse(verification) as TransactionVerification,
    request: {
      wire,
      previousOutputs: concatBytes(...witnesses.map(() => spent)),
      owner: null,
      registeredKeys: publicKey,
    },
  } satisfies MadePayment;
}

/** How many of these a block takes, by bytes and by mass. */
function paymentsInBlock({ wire, verification }: MadePayment): number {
  const byBytes = Math.floor(
    (BLOCK_BODY_BYTES_MAX - BLOCK_HEAD_BYTES) / (LENGTH_BYTES + wire.length),
  );
  return Math.min(byBytes, Math.floor(Number(BLOCK_MASS_MAX) / Number(verification.mass)));
}

function describe(made: MadePayment): string {
  const { wire_bytes, mass, minimum_fee, signatures } = made.verification;
  return `${paymentsInBlock(made)} payments in a block; each ${wire_bytes} bytes, ${signatures} signatures, mass ${mass}, least fee ${minimum_fee} atoms`;
}

function verifies({ request }: MadePayment, manifest: Manifest): void {
  const refusal = checkTransactionBytes(request, manifest);
  if (refusal !== null) throw refusal;
}

export async function bench(options: BenchOptions): Promise<readonly Row[]> {
  await init();
  using root = WalletRoot.fromEntropy(new Uint8Array(32));
  const manifest = createManifest('mainnet', new Uint8Array(48));
  const rows: Row[] = [];
  for (const [inputs, limit] of LIMITS) {
    const [ours, peer] = [true, false].map((repeats) =>
      makePayment(root, manifest, inputs, repeats),
    ) as [MadePayment, MadePayment];
    rows.push({
      name: `ledger::payments_in_block/inputs=${inputs}`,
      ours: describe(ours),
      peer: describe(peer),
      ratio: paymentsInBlock(ours) / paymentsInBlock(peer),
      limit,
    });
    if (inputs !== 8) continue;
    rows.push(
      compare(
        {
          name: 'protocol::verify_transaction/inputs=8',
          ours: { name: 'one signature', run: () => verifies(ours, manifest) },
          peer: { name: 'eight signatures', run: () => verifies(peer, manifest) },
          limit: 4,
          operations: OPERATIONS,
        },
        options,
      ),
    );
  }
  return rows;
}
