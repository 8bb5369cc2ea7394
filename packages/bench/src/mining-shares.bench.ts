/**
 * Shares through a server of miners on one thread, from the bytes of a share to the bytes of its answer, checked with a
 * dataset of the main network's size in memory: how many a second, and what one costs beside the bare hash.
 */
import { PROTOCOLS, type Protocol } from 'svc-mining';
import { init } from 'svc-wasm';
import { POW_SIZES, pow, powInput } from 'svc-wasm/kernel';
import { type BenchOptions, formatTime, type Row } from './harness.ts';
import { makeWordsDataset } from './mining-dataset.ts';
import { SharesServer } from './mining-shares-server.ts';

const CONNECTIONS = 200;
const SHARES_EACH = 10;
const ROUNDS = 40;
/** What 10,000 miners send that find one share in five seconds. */
const SHARES_PER_SECOND = 2_000;
/** Everything around the hash of a share costs no more than three further hashes. */
const BESIDE_HASH = 0.25;

function processorNanoseconds(): number {
  const { user, system } = process.threadCpuUsage();
  return 1_000 * (user + system);
}

async function sharesOf(
  protocol: Protocol,
  work: pow.PowDataset,
  options: BenchOptions,
): Promise<Row[]> {
  const check = async (header: Uint8Array) => {
    const { result } = pow.full(work, powInput(header));
    return { holds: false, result };
  };
  const connections = options.smoke ? 4 : CONNECTIONS;
  const server = await SharesServer.start({ protocol, connections, check });
  const shares = connections * SHARES_EACH;
  const rounds = options.smoke ? 1 : Math.ceil(ROUNDS * options.size);
  let [ours, peer] = [0, 0];
  await server.send(server.makeWave(SHARES_EACH));
  for (let round = 0; round < rounds; round++) {
    const wave = server.makeWave(SHARES_EACH);
    const began = processorNanoseconds();
    await server.send(wave);
    const middle = processorNanoseconds();
    hashAlone(work, round, shares);
    ours += middle - began;
    peer += processorNanoseconds() - middle;
  }
  const { accepted } = server.statistics;
  server.close();
  if (accepted !== (rounds + 1) * shares)
    throw new Error(`${accepted} of ${(rounds + 1) * shares} shares were accepted`);
  return rowsOf(protocol, ours / (rounds * shares), peer / (rounds * shares));
}

/** The same number of hashes of other headers. */
function hashAlone(work: pow.PowDataset, round: number, count: number): void {
  const header = new Uint8Array(312);
  const view = new DataView(header.buffer);
  view.setUint32(0, 1 + round);
  for (let number = 0; number < count; number++) {
    view.setUint32(288, number);
    pow.full(work, powInput(header));
  }
}

function rowsOf(protocol: Protocol, ours: number, peer: number): Row[] {
  const perSecond = 1e9 / ours;
  return [
    {
      name: `mining-shares: a share in ${protocol} beside its hash, processor time`,
      ours: `${formatTime(ours)} (read, checked, counted, answered)`,
      peer: `${formatTime(peer)} (hash alone)`,
      ratio: peer / ours,
      limit: BESIDE_HASH,
    },
    {
      name: `mining-shares: shares in ${protocol} that one thread takes in a second`,
      ours: `${perSecond.toFixed(0)} a second`,
      peer: `${SHARES_PER_SECOND} a second wanted`,
      ratio: perSecond / SHARES_PER_SECOND,
      limit: 1,
    },
  ];
}

export async function bench(options: BenchOptions): Promise<readonly Row[]> {
  await init();
  const { work } = makeWordsDataset(options.smoke ? POW_SIZES.development : POW_SIZES.mainnet);
  const rows: Row[] = [];
  for (const protocol of PROTOCOLS) rows.push(...(await sharesOf(protocol, work, options)));
  return rows;
}
