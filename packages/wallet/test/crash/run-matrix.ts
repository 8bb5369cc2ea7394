/**
 * Runs cases of the matrix on one development network, with one wallet that lives through all of them.
 */
import { join } from 'node:path';
import { addressFromPublicKey, init, WalletRoot } from 'svc-wasm';
import type { CrashPoint } from '../../src/journal/crash-points.ts';
import { startTestNetwork } from '../testing/network.ts';
import { openWallet, until } from '../testing/open-wallet.ts';
import { newWords } from '../testing/words.ts';
import { bundleDaemon } from './crash-process.ts';
import { type Case, CrashMatrix, GROUP_POINTS, GROUP_SIZE } from './matrix.ts';

/** Longer than any transaction of a development network is valid. */
const VALIDITY_CUTS = 121;
/** A refused payment holds its output until its time has passed, so there must be one for each case. */
const OUTPUTS_PER_PAYMENT = 7;
const PAYMENTS_AT_ONCE = 8;

export interface MatrixRun {
  readonly cases: readonly Case[];
  readonly directory: string;
  /** How many addresses change goes to in turn; each payment has a new one without. */
  readonly changeAddresses?: number | null;
  /** Carries out a case; a test makes a part of itself of it. */
  inPart?(each: Case, work: () => Promise<void>): Promise<void>;
  onCase(each: Case, done: number, error: unknown): void;
  /** Whether groups of payments are carried out after the cases. */
  readonly hasGroups?: boolean;
  /** Carries out a group of payments that a daemon dies with; a test makes a part of itself of it. */
  inGroup?(point: CrashPoint, work: () => Promise<void>): Promise<void>;
}

function inTurn(_: unknown, work: () => Promise<void>): Promise<void> {
  return work();
}

/** Answers how many daemons died at the point they were told. */
export async function runMatrix(run: MatrixRun): Promise<number> {
  const { cases, directory, hasGroups = true, onCase, inPart = inTurn, inGroup = inTurn } = run;
  const { changeAddresses = null } = run;
  await init();
  const net = await startTestNetwork();
  const program = await bundleDaemon(directory);
  const words = newWords();
  using strangers = WalletRoot.fromEntropy(crypto.getRandomValues(new Uint8Array(32)));
  let given = 0;
  const recipient = (): string =>
    addressFromPublicKey(strangers.derivePublicKey(0, 0, given++), 'development');
  const grouped = GROUP_POINTS.length * GROUP_SIZE;
  await fund(net, words, cases.length + grouped + OUTPUTS_PER_PAYMENT);
  const file = join(directory, 'crash-wallet');
  const matrix = await CrashMatrix.open({
    ...{ net, program, file, words, recipient, changeAddresses },
  });
  try {
    for (const [at, each] of cases.entries()) {
      let error: unknown;
      await inPart(each, () =>
        matrix.run(each).catch((thrown: unknown) => {
          error = thrown;
        }),
      );
      onCase(each, at + 1, error);
    }
    for (const point of hasGroups ? GROUP_POINTS : [])
      await inGroup(point, () => matrix.runGroup(point));
    const left = await matrix.settleAll(VALIDITY_CUTS);
    if (left.open !== 0 || left.reserved !== '0.00000000') {
      throw new Error(`after all validity has passed: ${JSON.stringify(left)}`);
    }
    return matrix.crashes;
  } finally {
    await matrix.close();
    await net.close();
  }

  /** Outputs of a coin each at the first address of the wallet under test. */
  async function fund(network: typeof net, to: string, outputs: number): Promise<void> {
    using owner = WalletRoot.fromMnemonic(to, '', 'development');
    const address = addressFromPublicKey(owner.derivePublicKey(0, 0, 0), 'development');
    const rich = await openWallet({
      directory: join(directory, 'rich'),
      words: network.words,
      service: network.url,
    });
    rich.start();
    await until('following', () => rich.scanner.progress.phase === 'following');
    for (let made = 0; made < outputs; made += OUTPUTS_PER_PAYMENT) {
      const recipients = Array.from({ length: OUTPUTS_PER_PAYMENT }, () => ({
        to: address,
        amount: '100000000',
      }));
      const request = { requestId: `fund-${made}`, method: 'send_many', params: { recipients } };
      await until('coins', () => rich.state.outputs.largest(1).length > 0, network);
      await rich.outgoing.perform({ ...request, isAutomatic: false });
      // On a busy machine all of them together would take longer than anybody waits.
      const isMany = rich.state.journal.openCount() >= PAYMENTS_AT_ONCE;
      if (isMany) await until('paid', () => rich.state.journal.openCount() === 0, network);
    }
    await until('funded', () => rich.state.journal.openCount() === 0, network);
    await rich.close();
  }
}
