/**
 * Sends a payment that was signed elsewhere. There is one signed form of the payment, so that sending it twice pays
 * once.
 */
import { CliError, EXIT, result, resultJson } from 'svc-base/cli';
import { type Client, ClientError, isBusy } from 'svc-client';
import { fromHex, init, inspectTransaction, type TransactionInspection } from 'svc-wasm';
import { WalletError } from '../../base/wallet-error.ts';
import { asParameter } from '../../methods/params.ts';
import { reading } from '../../node/node-fault.ts';
import { termsOf } from '../../spend/chain-terms.ts';
import { showResult } from '../show/show-result.ts';
import { type CommandOptions, textOf } from '../values.ts';
import { readFileOf, SignedFile } from './files.ts';
import { nodeClient } from './node-client.ts';

export async function submitSigned(options: CommandOptions): Promise<void> {
  await init();
  const signed = await readFileOf(SignedFile, textOf(options, 'signed') as string, '--signed');
  const client = nodeClient(options);
  const id = await transactionIdOf(client, signed);
  const submitted = await submit(client, signed.wire_hex, id);
  const outcome = options['wait'] === true ? { outcome: await outcomeOf(client, id) } : {};
  const facts = { transaction: id, result: submitted, ...outcome };
  if (options['json'] === true) resultJson(facts);
  else result(showResult('offline', facts));
}

/** The transaction id, computed from the signed bytes: the id in the file is not believed. */
async function transactionIdOf(client: Client, signed: SignedFile): Promise<string> {
  const terms = termsOf(JSON.stringify(await reading(client.transactionsManifest())));
  if (terms.chainId !== signed.chain_id) {
    const message = `the payment is for chain ${signed.chain_id}, the node serves ${terms.chainId}`;
    throw new WalletError('wrong_chain', message);
  }
  const said = asParameter('invalid_params', 'signed', () =>
    inspectTransaction(fromHex(signed.wire_hex), terms.manifest),
  );
  return (JSON.parse(said) as TransactionInspection).transaction_id;
}

async function submit(client: Client, wire_hex: string, id: string): Promise<string> {
  try {
    return await client.submit({ wire_hex, transaction_id: id });
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    if (error.kind === 'answer_lost') {
      const hint = 'run the same command again: it pays once';
      throw new CliError(EXIT.unknown, 'the node did not answer', { hint, cause: error });
    }
    if (error.kind !== 'refused' || isBusy(error)) return await reading(Promise.reject(error));
    throw new WalletError('node_refused', `the node refused the transaction: ${error.message}`);
  }
}

async function outcomeOf(client: Client, id: string): Promise<string> {
  const { failure, lifecycle } = await client.waitFinal(id);
  if (lifecycle === 'finalized') return 'finalized';
  throw new CliError(EXIT.failed, `transaction ${id} came to nothing: ${failure}`);
}
