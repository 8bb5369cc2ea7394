/**
 * The programs that a pool needs in a campaign: a node and a wallet daemon. Where one of them is to be killed each is a
 * process of its own and is restarted from its files, with other ports; otherwise they are one process.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEVELOPMENT_MNEMONIC } from 'svc-ledger';
import {
  type NetworkFacts,
  Program,
  startNetwork,
} from '../../../mining/test/server/testing/processes.ts';

const WORDS_FILE = 'words';
const ONE_VALIDATOR = ['--validators', '1'];
const NO_WALLET = '--no-wallet';
const WALLET = ['--file', 'wallet'];

interface WalletFacts {
  readonly url: string;
  readonly token_file: string;
}

export class Stage {
  readonly #directory: string;
  #node: Program;
  /** None where the node's process has the wallet. */
  #wallet: Program | undefined;
  #facts: NetworkFacts;
  #isNodeKilled = false;

  static async open(directory: string, victims: readonly string[]): Promise<Stage> {
    const hasOwnWallet = victims.includes('node') || victims.includes('wallet');
    if (hasOwnWallet) await makeWallet(directory);
    const more = hasOwnWallet ? [NO_WALLET] : [];
    const node = startNetwork(directory, [...ONE_VALIDATOR, ...more]);
    try {
      const facts = await node.facts<NetworkFacts>();
      const wallet = hasOwnWallet ? await startWallet(directory, facts) : undefined;
      return new Stage(directory, node, wallet ?? [undefined, facts]);
    } catch (error) {
      await node.stop();
      throw error;
    }
  }

  private constructor(
    directory: string,
    node: Program,
    [wallet, facts]: [Program | undefined, NetworkFacts],
  ) {
    this.#directory = directory;
    this.#node = node;
    this.#wallet = wallet;
    this.#facts = facts;
  }

  get programs(): readonly Program[] {
    return this.#wallet === undefined ? [this.#node] : [this.#node, this.#wallet];
  }

  get facts(): NetworkFacts {
    return this.#facts;
  }

  /** The node was killed and is not back yet. */
  get isNodeKilled(): boolean {
    return this.#isNodeKilled;
  }

  async kill(victim: 'node' | 'wallet'): Promise<void> {
    // Before the signal: a client of the node may see it end before this process does.
    if (victim === 'node') this.#isNodeKilled = true;
    await (victim === 'node' ? this.#node : this.#wallet)?.stop('SIGKILL');
  }

  /** Starts again what was killed. A wallet goes with its node, whose address it was given. */
  async restore(): Promise<void> {
    if (this.#wallet === undefined || !(this.#node.isOver || this.#wallet.isOver)) return;
    await this.#wallet.stop('SIGKILL');
    let facts = this.#facts;
    if (this.#node.isOver) {
      this.#node = startNetwork(this.#directory, [...ONE_VALIDATOR, NO_WALLET]);
      facts = await this.#node.facts<NetworkFacts>();
    }
    [this.#wallet, this.#facts] = await startWallet(this.#directory, facts);
    this.#isNodeKilled = false;
  }

  async close(): Promise<void> {
    await this.#wallet?.stop();
    await this.#node.stop();
  }
}

async function makeWallet(directory: string): Promise<void> {
  writeFileSync(join(directory, WORDS_FILE), DEVELOPMENT_MNEMONIC, { mode: 0o600 });
  const words = ['init', ...WALLET, '--network', 'development', '--generate-password'];
  const init = new Program('svc-wallet', [...words, '--words-file', WORDS_FILE], directory);
  if ((await init.ended()) !== 0) throw new Error(`the wallet was not made: ${init.stderr}`);
}

async function startWallet(
  directory: string,
  facts: NetworkFacts,
): Promise<[Program, NetworkFacts]> {
  const words = ['daemon', ...WALLET, '--service', facts.api_url, '--port', '0'];
  const more = ['--gap', '50', '--json', '--quiet'];
  const wallet = new Program('svc-wallet', [...words, ...more], directory);
  const { url, token_file: token } = await wallet.facts<WalletFacts>();
  return [wallet, { ...facts, wallet_url: url, wallet_token_file: token }];
}
