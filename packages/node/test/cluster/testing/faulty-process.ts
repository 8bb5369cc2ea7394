/**
 * `svcd` of a development network with something wrong in it, for tests: the first word says what, the rest is a
 * command line.
 */
import { Validator } from 'svc-consensus/shell';
import type { Network } from 'svc-wasm/base';
import { createEquivocator } from '../../../src/dev/committee.ts';
import { KeptStates } from '../../../src/network/kept-states.ts';
import { NodeApplication } from '../../../src/network/node-application.ts';

const [fault = '', ...words] = process.argv.slice(2);

/** From this cut on, so that the guilty is a member whose votes are heard. */
const GUILTY_FROM = 5;

const FAULTS: Readonly<Record<string, () => void>> = {
  'wrong-bodies': serveWrongBodies,
  garbage: serveGarbage,
  'wrong-ranges': serveWrongRanges,
  equivocate,
};

(FAULTS[fault] ?? unknown)();
const { main } = await import('../../../src/cli/main.ts');
process.exitCode = await main(words);

function unknown(): never {
  throw new Error(`there is no fault ${fault}`);
}

/** Bodies of cuts and blocks that look right from afar. */
function serveWrongBodies(): void {
  const { cutBody, block } = NodeApplication.prototype;
  NodeApplication.prototype.cutBody = async function (height) {
    return turned(await cutBody.call(this, height));
  };
  NodeApplication.prototype.block = async function (id) {
    const found = await block.call(this, id);
    return found === undefined ? undefined : { ...found, body: turned(found.body) as Uint8Array };
  };
}

/** Ranges of a state of which one bit is another. */
function serveWrongRanges(): void {
  const { range } = KeptStates.prototype;
  KeptStates.prototype.range = async function (manifestId, index) {
    return turned(await range.call(this, manifestId, index));
  };
}

/** Everything that is asked for is noise. */
function serveGarbage(): void {
  const noise = (bytes: number): Uint8Array => crypto.getRandomValues(new Uint8Array(bytes));
  Object.defineProperty(NodeApplication.prototype, 'tip', {
    get: () => ({ height: 1_000_000, cutId: Buffer.from(noise(48)).toString('hex') }),
  });
  NodeApplication.prototype.headers = async (_from, count) =>
    Array.from({ length: count }, () => noise(300));
  NodeApplication.prototype.cutBody = async () => noise(1_000);
  NodeApplication.prototype.certificate = async () => noise(5_000);
  NodeApplication.prototype.lastCertificate = async (_from, height) => ({
    height,
    certificate: noise(5_000),
  });
  NodeApplication.prototype.transaction = () => noise(3_600);
  NodeApplication.prototype.block = async (id) => ({ id, header: noise(296), body: noise(2_000) });
}

function equivocate(): void {
  const { start } = Validator;
  Validator.start = (options) => {
    const { key, chain, codec } = options;
    const faults = createEquivocator({
      network: chain.network as Network,
      signedBytes: (message) => codec.signedBytes(message),
      key,
      isGuiltyAt: (height) => height >= GUILTY_FROM,
    });
    return start.call(Validator, { ...options, faults });
  };
}

function turned(bytes: Uint8Array | undefined): Uint8Array | undefined {
  if (bytes === undefined || bytes.length === 0) return bytes;
  const copy = bytes.slice();
  const last = copy.length - 1;
  copy[last] = (copy[last] as number) ^ 1;
  return copy;
}
