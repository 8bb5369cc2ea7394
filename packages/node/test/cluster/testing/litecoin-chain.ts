/**
 * A chain of Litecoin Core with payments like those of our long chain: one input, a payment and the change. Each is signed
 * here (BIP 143), since its wallet would take hours for them, and mined as it is.
 */
import { createECDH, createHash, createPrivateKey, type KeyObject, sign } from 'node:crypto';
import type { LitecoinNode } from './litecoin-node.ts';

export interface LitecoinChainPlan {
  readonly blocks: number;
  readonly payments: number;
  readonly onProgress: (blocks: number) => void;
}

const KEYS = 10;
const KEY_BYTES = 32;
/** Coins that are paid with lie untouched for so many blocks. */
const COINS_PER_PAYMENT = 3;
const COINS_PER_SPLIT = 250;
/** Blocks until the first block's reward may be spent. */
const MATURITY = 100;
const AMOUNT = 1_000n;
const FEE = 300n;
const SPLIT_FEE = 1_000_000n;
const ATOMS = 1e8;
const PROGRESS_BLOCKS = 50;

interface Key {
  readonly secret: KeyObject;
  readonly publicKey: Buffer;
  readonly hash: Buffer;
}

interface Coin {
  /** As it stands in a transaction. */
  readonly transaction: Buffer;
  readonly index: number;
  readonly amount: bigint;
  readonly key: Key;
}

interface Payee {
  readonly amount: bigint;
  readonly hash: Buffer;
}

interface Signed {
  readonly id: Buffer;
  readonly wire: string;
}

/** Mines coins, splits them, and then as many blocks with payments as are wanted. Returns the height before the first of these. */
export async function makeLitecoinChain(
  node: LitecoinNode,
  plan: LitecoinChainPlan,
): Promise<number> {
  const keys = Array.from({ length: KEYS }, (_, place) => keyOf(place));
  const [miner] = keys as [Key];
  const output = `wpkh(${miner.publicKey.toString('hex')})`;
  const coins = await splitCoins(node, keys, output, COINS_PER_PAYMENT * plan.payments);
  const start = await node.call<number>('getblockcount');
  for (let block = 0; block < plan.blocks; block++) {
    const wires: string[] = [];
    for (const [place, coin] of coins.splice(0, plan.payments).entries()) {
      const key = keys[(block + place) % KEYS] as Key;
      const change = coin.amount - AMOUNT - FEE;
      const stranger = sha256(Buffer.from(`${block}/${place}`)).subarray(0, key.hash.length);
      const payees = [
        { amount: AMOUNT, hash: stranger },
        { amount: change, hash: key.hash },
      ];
      const { id, wire } = signPayment(coin, payees);
      wires.push(wire);
      coins.push({ transaction: id, index: 1, amount: change, key });
    }
    await node.call('generateblock', output, wires);
    if ((block + 1) % PROGRESS_BLOCKS === 0) plan.onProgress(block + 1);
  }
  return start;
}

async function splitCoins(
  node: LitecoinNode,
  keys: readonly Key[],
  output: string,
  wanted: number,
): Promise<Coin[]> {
  const rewards = Math.ceil(wanted / COINS_PER_SPLIT);
  const blocks = await node.call<string[]>('generatetodescriptor', rewards, output);
  await node.call('generatetodescriptor', MATURITY, output);
  const coins: Coin[] = [];
  const wires: string[] = [];
  for (const block of blocks) {
    const reward = await rewardOf(node, block, keys[0] as Key);
    const amount = (reward.amount - SPLIT_FEE) / BigInt(COINS_PER_SPLIT);
    const owners = Array.from({ length: COINS_PER_SPLIT }, (_, index) => keys[index % KEYS] as Key);
    const { id, wire } = signPayment(
      reward,
      owners.map(({ hash }) => ({ amount, hash })),
    );
    wires.push(wire);
    for (const [index, key] of owners.entries())
      coins.push({ transaction: id, index, amount, key });
  }
  await node.call('generateblock', output, wires);
  return coins;
}

interface ShownBlock {
  readonly tx: readonly [{ readonly txid: string; readonly vout: readonly [{ value: number }] }];
}

async function rewardOf(node: LitecoinNode, block: string, key: Key): Promise<Coin> {
  const { tx } = await node.call<ShownBlock>('getblock', block, 2);
  const [{ txid, vout }] = tx;
  const amount = BigInt(Math.round(vout[0].value * ATOMS));
  return { transaction: Buffer.from(txid, 'hex').reverse(), index: 0, amount, key };
}

function signPayment({ transaction, index, amount, key }: Coin, payees: readonly Payee[]): Signed {
  const outpoint = Buffer.concat([transaction, uint32(index)]);
  const version = uint32(2);
  const sequence = uint32(0xff_ff_ff_ff);
  const noLock = uint32(0);
  const outputs = Buffer.concat(
    payees.map((payee) => Buffer.concat([uint64(payee.amount), Buffer.of(22, 0, 20), payee.hash])),
  );
  const message = Buffer.concat([
    ...[version, sha256Twice(outpoint), sha256Twice(sequence), outpoint],
    ...[Buffer.of(25, 0x76, 0xa9, 20), key.hash, Buffer.of(0x88, 0xac)],
    ...[uint64(amount), sequence, sha256Twice(outputs), noLock, uint32(1)],
  ]);
  // The function hashes once more by itself.
  const signature = Buffer.concat([sign('sha256', sha256(message), key.secret), Buffer.of(1)]);
  const parts = [Buffer.of(1), outpoint, Buffer.of(0), sequence, Buffer.of(payees.length), outputs];
  const body = Buffer.concat(parts);
  const witness = [Buffer.of(2, signature.length), signature, Buffer.of(33), key.publicKey];
  return {
    id: sha256Twice(Buffer.concat([version, body, noLock])),
    wire: Buffer.concat([version, Buffer.of(0, 1), body, ...witness, noLock]).toString('hex'),
  };
}

function keyOf(place: number): Key {
  const curve = createECDH('secp256k1');
  const bytes = Buffer.alloc(KEY_BYTES, place + 1);
  curve.setPrivateKey(bytes);
  const point = curve.getPublicKey();
  const coordinate = (from: number): string =>
    point.subarray(from, from + KEY_BYTES).toString('base64url');
  const secret = createPrivateKey({
    format: 'jwk',
    key: {
      ...{ kty: 'EC', crv: 'secp256k1', d: bytes.toString('base64url') },
      ...{ x: coordinate(1), y: coordinate(1 + KEY_BYTES) },
    },
  });
  const publicKey = curve.getPublicKey(null, 'compressed');
  return { secret, publicKey, hash: createHash('ripemd160').update(sha256(publicKey)).digest() };
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}

function sha256Twice(bytes: Uint8Array): Buffer {
  return sha256(sha256(bytes));
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function uint64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}
