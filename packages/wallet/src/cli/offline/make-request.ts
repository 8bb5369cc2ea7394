/**
 * Makes an unsigned payment from public knowledge: the outputs of the paying addresses and the rules of the
 * chain, as a node tells them.
 */
import { result, resultJson } from 'svc-base/cli';
import type { Client } from 'svc-client';
import { formatAmount, init, parseAddress, parseAmount } from 'svc-wasm';
import { asParameter } from '../../methods/params.ts';
import { reading } from '../../node/node-fault.ts';
import { inputsOf } from '../../spend/build.ts';
import { type ChainTerms, termsOf } from '../../spend/chain-terms.ts';
import { massModelOf } from '../../spend/mass-model.ts';
import { type Plan, planOrder, type SpendContext } from '../../spend/plan.ts';
import type { Coin } from '../../state/outputs.ts';
import { FEE_MAX_DEFAULT } from '../../wallet.ts';
import { showResult } from '../show/show-result.ts';
import { type CommandOptions, textOf, usage } from '../values.ts';
import { writeNew } from './files.ts';
import { nodeClient } from './node-client.ts';
import { coinSource, type Payer, readPayers } from './payers.ts';

const VALIDITY_CUTS = 17_280;

export async function makeRequest(options: CommandOptions): Promise<void> {
  await init();
  const client = nodeClient(options);
  const manifest = await reading(client.transactionsManifest());
  const terms = termsOf(JSON.stringify(manifest));
  const address = (path: string, text: string): string => {
    asParameter('invalid_address', path, () => parseAddress(text, terms.network));
    return text.toLowerCase();
  };
  const from = (options['from'] as string[]).map((text) => address('from', text));
  const payers = await readPayers(client, from);
  const maxFee = textOf(options, 'maxFee');
  const context: SpendContext = {
    terms,
    mass: massModelOf(terms),
    feeMax: maxFee === undefined ? FEE_MAX_DEFAULT : atoms('max_fee', maxFee),
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
    amount: formatAmount(String(plan.payments[0]?.amount)),
    fee: formatAmount(String(plan.fee)),
  };
  if (options['json'] === true) resultJson(facts);
  else result(showResult('offline', facts));
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
