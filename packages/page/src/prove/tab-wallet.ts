/**
 * A wallet whose keys never leave the worker, for development and test networks: it is made, restored or opened from a
 * file as `svc-wallet` writes it, signs payments, sends and reads messages, and is forgotten with the tab. It has one
 * address.
 */
import {
  Account,
  type Chat,
  type Client,
  createClient,
  createMessenger,
  type Messenger,
  pay,
} from 'svc-client';
import {
  mnemonicEntropy,
  mnemonicFromEntropy,
  type Network,
  openWalletFile,
  SvcError,
  sealWalletFile,
} from 'svc-wasm';
import { expectNetwork, Fields, wipe } from 'svc-wasm/base';

export type WalletOrder =
  | { readonly action: 'make'; readonly password: string }
  | { readonly action: 'restore'; readonly words: string; readonly password: string }
  | { readonly action: 'open'; readonly file: Uint8Array; readonly password: string }
  | {
      readonly action: 'pay';
      readonly to: string;
      readonly atoms: string;
      /** For the receiver; it is public. */
      readonly note: string;
    }
  | { readonly action: 'chats' }
  | { readonly action: 'ask' | 'accept'; readonly peer: string }
  | { readonly action: 'say'; readonly peer: string; readonly text: string }
  | { readonly action: 'close' };

export interface OpenedWallet {
  readonly address: string;
  /** The words of a new wallet, to be written down. */
  readonly words?: string;
  /** The sealed file of a wallet that was just made or restored. */
  readonly file?: Uint8Array;
}

export type WalletAnswer =
  | { readonly action: 'opened'; readonly wallet: OpenedWallet }
  | { readonly action: 'paid'; readonly id: string }
  | {
      readonly action: 'chats';
      /** Chats with verified signatures of the peers. */
      readonly chats: readonly Chat[];
      /** How many payments were left out because their sender cannot be named. */
      readonly unchecked: number;
    }
  | { readonly action: 'closed' };

interface Secrets {
  readonly network: Network;
  readonly words: string;
  readonly passphrase: string;
}

const ENTROPY_BYTES = 32;
/** The cheapest that OWASP asks for with two passes: a worker computes it without threads, in a second or two. */
const SEAL_COST = '{"memory_kib":"19456","passes":"2"}';
/** The version of what is sealed, as `svc-wallet` numbers it. */
const CONTENTS_VERSION = '1';
const FIELDS = ['version', 'network', 'words', 'passphrase', 'created_at_millis'];
const WORDS_CHARACTERS_MAX = 512;

export class TabWallet {
  readonly #client: Client;
  readonly #now: () => number;
  #opened: { readonly account: Account; readonly messenger: Messenger } | undefined;

  constructor(origin: string, now: () => number) {
    this.#client = createClient({ url: origin });
    this.#now = now;
  }

  async carryOut(order: WalletOrder): Promise<WalletAnswer> {
    switch (order.action) {
      case 'make':
        return { action: 'opened', wallet: await this.#make(order.password) };
      case 'restore':
        return { action: 'opened', wallet: await this.#restore(order.words, order.password) };
      case 'open':
        return { action: 'opened', wallet: await this.#openFile(order.file, order.password) };
      case 'pay':
        return this.#pay(order);
      case 'chats':
        return this.#chats();
      case 'ask':
        return paid(await this.#open().messenger.request(order.peer));
      case 'accept':
        return paid(await this.#open().messenger.accept(order.peer));
      case 'say':
        return paid(await this.#open().messenger.send(order.peer, order.text));
      case 'close':
        this.#forget();
        return { action: 'closed' };
    }
  }

  async #make(password: string): Promise<OpenedWallet> {
    const entropy = crypto.getRandomValues(new Uint8Array(ENTROPY_BYTES));
    const words = mnemonicFromEntropy(entropy);
    wipe(entropy);
    return { ...(await this.#restore(words, password)), words };
  }

  async #restore(words: string, password: string): Promise<OpenedWallet> {
    wipe(mnemonicEntropy(words));
    const secrets = { network: await this.#networkHere(), words, passphrase: '' };
    const file = sealWalletFile(this.#contentsOf(secrets), password, SEAL_COST);
    return { address: this.#hold(secrets), file };
  }

  async #openFile(file: Uint8Array, password: string): Promise<OpenedWallet> {
    const network = await this.#networkHere();
    const secrets = parseContents(openWalletFile(file, password));
    if (secrets.network !== network) {
      throw new SvcError('wrong_network', `the wallet is of ${secrets.network}, not ${network}`);
    }
    return { address: this.#hold(secrets) };
  }

  async #pay({ to, atoms, note }: Extract<WalletOrder, { action: 'pay' }>): Promise<WalletAnswer> {
    const options = { from: this.#open().account, to, amount: BigInt(atoms) };
    return paid(await pay(this.#client, note === '' ? options : { ...options, note }));
  }

  async #chats(): Promise<WalletAnswer> {
    const { messenger } = this.#open();
    const chats = await messenger.chats();
    return { action: 'chats', chats, unchecked: (await messenger.unchecked()).length };
  }

  #open(): { readonly account: Account; readonly messenger: Messenger } {
    if (this.#opened === undefined) throw new Error('no wallet is open');
    return this.#opened;
  }

  /** The network of the node; keys of value do not belong into a page. */
  async #networkHere(): Promise<Network> {
    const { network } = await this.#client.transactionsManifest();
    if (network !== 'mainnet') return network;
    throw new SvcError('wrong_network', 'there is no wallet in the page on mainnet');
  }

  #hold({ words, network, passphrase }: Secrets): string {
    const account = new Account(words, { network, passphrase });
    this.#forget();
    this.#opened = { account, messenger: createMessenger(this.#client, account) };
    return account.address;
  }

  #forget(): void {
    this.#opened?.account.free();
    this.#opened = undefined;
  }

  #contentsOf({ network, words, passphrase }: Secrets): string {
    return JSON.stringify({
      version: CONTENTS_VERSION,
      network,
      words,
      passphrase,
      created_at_millis: String(this.#now()),
    });
  }
}

function paid({ transactionId }: { readonly transactionId: string }): WalletAnswer {
  return { action: 'paid', id: transactionId };
}

function parseContents(text: string): Secrets {
  const fields = Fields.parse(text, 'wallet', FIELDS);
  if (fields.string('version', 1) !== CONTENTS_VERSION) {
    throw new SvcError('unsupported_version', 'the wallet file is of another version');
  }
  return {
    network: expectNetwork(fields.value('network'), fields.at('network')),
    words: fields.string('words', WORDS_CHARACTERS_MAX),
    passphrase: fields.string('passphrase', WORDS_CHARACTERS_MAX),
  };
}
