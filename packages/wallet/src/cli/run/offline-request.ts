/**
 * The two ends of a payment whose keys are on a machine without a network: the request, made from public knowledge as a node
 * reports it, and the submission of the signed payment, which has one signed form, so that sending it twice pays once.
 */

import { CliError, EXIT } from 'svc-base/cli';
import { type Client, ClientError, isBusy } from 'svc-client';
import {
  fromHex,
  init,
  inspectTransaction,
  parseAddress,
  parseAmount,
  type TransactionInspection,
} from 'svc-wasm';
import { coinsOf } from '../../amounts.ts';
import { WalletError } from '../../errors.ts';
import { asParameter, feeMaxOf } from '../../methods/method.ts';
import { reading } from '../../node/node-fault.ts';
import { nodeClient } from '../../node/nodes.ts';
import { inputsOf } from '../../spend/build.ts';
import { type ChainTerms, massModelOf, termsOf } from '../../spend/mass-model.ts';
import { type Plan, planOrder, type SpendContext } from '../../spend/plan.ts';
import type { CoinSource } from '../../spend/select-coins.ts';
import type { SpendingAddress } from '../../state/addresses.ts';
import type { Coin } from '../../state/outputs.ts';
import { FEE_MAX_DEFAULT } from '../../wallet.ts';
import { type CommandOptions, nodePlace, textOf, usage } from '../options.ts';
import { print } from '../show.ts';
import { readFileOf, SignedFile, writeNew } from './files.ts';

const VALIDITY_CUTS = 17_280;

export async function makeRequest(options: CommandOptions): Promise<void> {
  await init();
  const client = clientOf(options);
  const manifest = await reading(client.transactionsManifest());
  const terms = termsOf(JSON.stringify(manifest));
  const address = (path: string, text: string): string => {
    asParameter('invalid_address', path, () => parseAddress(text, terms.network));
    return text.toLowerCase();
  };
  const from = (options['from'] as string[]).map((text) => address('from', text));
  const payers = await readPayers(client, from);
  const context: SpendContext = {
    terms,
    mass: massModelOf(terms),
    feeMax: feeMaxOf(textOf(options, 'maxFee')) ?? FEE_MAX_DEFAULT,
    addressOf: (coin) => (payers[coin.addressId] as Payer).address,
  };
  const to = address('to', textOf(options, 'to') as string);
  const amount = atoms('amount', textOf(options, 'amount') as string);
  const subtractFee = options['subtractFee'] === true;
  const order = { payments: [{ address: to, amount }], subtractFee };
  const plan = planOrder(order, coinSource(payers), context);
  const changeTo = address('change_to', textOf(options, 'changeTo') ?? (from[0] as string));
  const out = textOf(options, 'out') as string;
  writeNew(out, {
    svc_offline_request: 1,
    chain_id: terms.chainId,
    manifest,
    transaction: await transactionOf(client, plan, changeTo, validCutsOf(options, terms)),
    spent: plan.coins.map((coin) => spentBy(coin, payers)),
  });
  const facts = {
    request: out,
    to,
    amount: coinsOf(plan.payments[0]?.amount ?? 0n),
    fee: coinsOf(plan.fee),
  };
  print(options, 'offline', facts);
}

async function transactionOf(
  client: Client,
  plan: Plan,
  changeTo: string,
  validCuts: number,
): Promise<object> {
  const { finalized_height } = await reading(client.nodeSync());
  const outputs = plan.payments.map(({ address, amount }) => ({ address, amount: String(amount) }));
  for (const part of plan.change) outputs.push({ address: changeTo, amount: String(part) });
  return {
    valid_from_height: String(finalized_height),
    valid_until_height: String(finalized_height + validCuts),
    fee: String(plan.fee),
    inputs: inputsOf(plan.coins),
    outputs,
    payload_hex: '',
  };
}

/** How long the payment can be executed, as far as the chain allows. */
function validCutsOf(options: CommandOptions, { validityCutsMax }: ChainTerms): number {
  const given = options['validCuts'] as number | undefined;
  if (given === undefined) return Math.min(VALIDITY_CUTS, validityCutsMax);
  if (given <= validityCutsMax) return given;
  throw usage(`--valid-cuts: a transaction of this chain is valid for ${validityCutsMax} at most`);
}

function spentBy({ addressId, amount }: Coin, payers: readonly Payer[]): object {
  const { address, isKeyRegistered } = (payers[addressId] as Payer).address;
  return { address, amount: String(amount), key_registered: isKeyRegistered };
}

function atoms(path: string, coins: string): bigint {
  return BigInt(asParameter('invalid_amount', path, () => parseAmount(coins)));
}

interface Payer {
  readonly address: SpendingAddress;
  readonly coins: readonly Coin[];
}

const COINS_MAX = 4_096;

async function readPayers(client: Client, addresses: readonly string[]): Promise<Payer[]> {
  const { keys } = await reading(client.keysRegistered({ addresses: [...addresses] }));
  const payers: Payer[] = [];
  let id = 0;
  for (const [at, address] of addresses.entries()) {
    const coins: Coin[] = [];
    for await (const { amount, outpoint } of client.pages.addressUtxos({ address })) {
      if (coins.length === COINS_MAX) break;
      coins.push({
        id: id++,
        transactionId: outpoint.transaction_id,
        outputIndex: outpoint.output_index,
        addressId: at,
        amount: BigInt(amount),
      });
    }
    const isKeyRegistered = keys[at]?.registered === true;
    payers.push({ address: { id: at, branch: 0, position: 0, address, isKeyRegistered }, coins });
  }
  return payers;
}

function coinSource(payers: readonly Payer[]): CoinSource {
  const coins = payers
    .flatMap((payer) => payer.coins)
    .sort((a, b) => (a.amount === b.amount ? a.id - b.id : a.amount < b.amount ? 1 : -1));
  return {
    smallestAtLeast: (amount) => coins.findLast((coin) => coin.amount >= amount),
    largest: (limit) => coins.slice(0, limit),
  };
}

function clientOf(options: CommandOptions): Client {
  const { identity, requestTimeoutMillis: timeoutMillis, service: url } = nodePlace(options);
  return nodeClient({ url, identity, timeoutMillis });
}

export async function submitSigned(options: CommandOptions): Promise<void> {
  await init();
  const signed = await readFileOf(SignedFile, textOf(options, 'signed') as string, '--signed');
  const client = clientOf(options);
  const id = await transactionIdOf(client, signed);
  const submitted = await submit(client, signed.wire_hex, id);
  const outcome = options['wait'] === true ? { outcome: await outcomeOf(client, id) } : {};
  const facts = { transaction: id, result: submitted, ...outcome };
  print(options, 'offline', facts);
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
