/**
 * An account: one address of a wallet and the key behind it, for programs that pay from one address. A wallet of many
 * addresses is `svc-wallet`. The secret stays inside until `free`.
 */
import { addressFromPublicKey, BRANCHES, type Network, parseAmount, WalletRoot } from 'svc-wasm';

const ACCOUNT = 0;

/** Which key of a recovery phrase an account uses. */
export interface AccountOptions {
  /** The same words have other keys on each network. */
  readonly network: Network;
  /** Which of the wallet's receiving addresses; the first one unless given. */
  readonly index?: number;
  readonly passphrase?: string;
}

/**
 * One address and the key behind it. Everything that pays, signs or chats takes one.
 *
 * @example
 * const account = new Account(words, { network: 'mainnet' });
 * console.log(account.address);
 */
export class Account {
  readonly network: Network;
  readonly address: string;
  readonly publicKey: Uint8Array;
  readonly #root: WalletRoot;
  readonly #index: number;

  /**
   * Takes 24 words, or a wallet root, of which it makes a copy: stretching words into a root takes tens of milliseconds. Throws
   * the module's `SvcError` if the words are no recovery phrase or the root is of another network.
   */
  constructor(words: string | WalletRoot, { network, index = 0, passphrase = '' }: AccountOptions) {
    this.#root =
      typeof words === 'string'
        ? WalletRoot.fromMnemonic(words, passphrase, network)
        : words.copy(network);
    this.#index = index;
    this.network = network;
    this.publicKey = this.#root.derivePublicKey(ACCOUNT, BRANCHES.receive, index);
    this.address = addressFromPublicKey(this.publicKey, network);
  }

  /** Signs a spend message of 48 bytes. */
  signSpend(message: Uint8Array): Uint8Array {
    return this.#root.sign(ACCOUNT, BRANCHES.receive, this.#index, message, true);
  }

  /** Answers an address proof request, such as a sign-in. */
  proveAddress(requestJson: string): string {
    return this.#root.proveAddress(ACCOUNT, BRANCHES.receive, this.#index, requestJson);
  }

  /** Calls a messenger function of the wallet root for this account. */
  messenger(
    call: 'messengerRequest' | 'messengerAccept' | 'messengerMessage' | 'messengerChats',
    request: object,
  ): unknown {
    return JSON.parse(this.#root[call](ACCOUNT, JSON.stringify(request)));
  }

  /** Wipes the secret; the account can sign nothing afterwards. */
  free(): void {
    this.#root.free();
  }
}

/** Coins in decimal as atoms: `coins('1.25')` is 125000000n. */
export function coins(text: string): bigint {
  return BigInt(parseAmount(text));
}
