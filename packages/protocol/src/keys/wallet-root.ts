/// <reference lib="esnext.disposable" preserve="true" />
/**
 * The root of a wallet: derives keys, signs, proves addresses and speaks the messenger. It belongs to one network:
 * the same words have other keys on each. It holds its own secret of 64 bytes and those of the branches that it used
 * last, all wiped by `free()`; secret keys live only as long as one call. It stores nothing, makes no requests, and
 * knows no amounts: what to sign is the caller's decision.
 */
import { expectBytes, toHex, wipe } from '../base/bytes.ts';
import { expectInteger } from '../base/integer.ts';
import { kindOf } from '../base/kind-of.ts';
import { CONTEXTS, contextBytes, LABELS } from '../base/labels.ts';
import { expectNetwork, NETWORKS, type Network } from '../base/networks.ts';
import { SvcError } from '../base/svc-error.ts';
import { hashSecret } from '../kernel/hash-label.ts';
import type { KeyPair } from '../kernel/ml-dsa.ts';
import { mlDsa65 } from '../kernel/ml-dsa.ts';
import { rebuildChats } from '../messenger/chats.ts';
import { composeAccept, composeMessage, composeRequest } from '../messenger/compose.ts';
import { messengerIdBytes } from '../messenger/party.ts';
import { makeAddressProof } from '../ownership/address-proof.ts';
import { keyAddressBytes } from '../text/address-documents.ts';
import {
  deriveKey,
  deriveNode,
  INDEX_MAX,
  masterNode,
  NODE_BYTES,
  networkSeed,
} from './derivation.ts';
import { canonicalMnemonic, mnemonicEntropy, mnemonicFromEntropy } from './mnemonic.ts';
import { stretchWords } from './stretch-words.ts';

const PURPOSE_KEYS = 204;
const PURPOSE_MESSENGER = 205;
const PURPOSE_FINGERPRINT = 206;
const FINGERPRINT_BYTES = 8;
const MESSAGE_BYTES = 48;
const PASSPHRASE_CHARACTERS_MAX = 256;
/** Branches whose nodes are kept: those of two accounts. */
const BRANCHES_MAX = 4;

export const BRANCHES = { receive: 0, change: 1 } as const;

export class WalletRoot {
  readonly #network: Network;
  readonly #node = new Uint8Array(NODE_BYTES);
  /** Nodes that many keys are derived from, by their paths. */
  readonly #branches = new Map<string, Uint8Array>();
  /** The public key that was made last: a signer mostly shows its key too. */
  #lastPublicKey: { readonly path: string; readonly publicKey: Uint8Array } | undefined;
  #freed = false;

  /** Wipes the node that it is given. */
  private constructor(network: Network, node: Uint8Array) {
    this.#network = network;
    this.#node.set(node);
    wipe(node);
  }

  /** Without a network the keys are those of `mainnet`. */
  static fromMnemonic(words: string, passphrase = '', network = 'mainnet'): WalletRoot {
    const checked = expectNetwork(network, 'network');
    wipe(mnemonicEntropy(words));
    const seed = stretchWords(canonicalMnemonic(words), checkPassphrase(passphrase));
    const domain = networkSeed(seed, NETWORKS[checked].code);
    const node = masterNode(domain);
    wipe(seed, domain);
    return new WalletRoot(checked, node);
  }

  static fromEntropy(entropy: Uint8Array, passphrase = '', network = 'mainnet'): WalletRoot {
    return WalletRoot.fromMnemonic(mnemonicFromEntropy(entropy), passphrase, network);
  }

  /** A root with the same keys and a secret of its own, without stretching words again. Refuses another network than its own. */
  copy(network: string): WalletRoot {
    this.#expectUsable();
    if (expectNetwork(network, 'network') !== this.#network) {
      const found = `the keys of this root are of ${this.#network}`;
      throw new SvcError('wrong_network', found, { path: 'network' });
    }
    return new WalletRoot(this.#network, this.#node.slice());
  }

  /** Sixteen hexadecimal characters that identify a wallet and reveal nothing about its keys. */
  fingerprint(): string {
    const secret = this.#derive([PURPOSE_FINGERPRINT]);
    try {
      return toHex(hashSecret(LABELS.fingerprint, secret).subarray(0, FINGERPRINT_BYTES));
    } finally {
      wipe(secret);
    }
  }

  derivePublicKey(account: number, branch: number, index: number): Uint8Array {
    const path = keyPath(account, branch, index);
    this.#expectUsable();
    if (this.#lastPublicKey?.path === path.join()) return this.#lastPublicKey.publicKey.slice();
    return this.#withKeys(account, branch, index, ({ publicKey }) => publicKey);
  }

  /**
   * The 32 bytes that the key pair at this path is made from, for a key file of a validator. They give
   * away this key and no other; the caller wipes them.
   */
  exportSeed(account: number, branch: number, index: number): Uint8Array {
    return this.#deriveSeed(keyPath(account, branch, index));
  }

  /** Signs 48 bytes: a spend message when `spend` is true, else an operation message. */
  sign(
    account: number,
    branch: number,
    index: number,
    message: Uint8Array,
    spend: boolean,
  ): Uint8Array {
    if (typeof spend !== 'boolean') {
      throw new SvcError('bad_type', `expected a boolean, found ${kindOf(spend)}`, {
        path: 'spend',
      });
    }
    const context = contextBytes(spend ? CONTEXTS.spend : CONTEXTS.operation);
    return this.#signWith(account, branch, index, message, context);
  }

  /** Signs the possession message of a consensus key. */
  signPossession(account: number, branch: number, index: number, message: Uint8Array): Uint8Array {
    return this.#signWith(account, branch, index, message, contextBytes(CONTEXTS.possession));
  }

  /** Answers an address proof request with the key at this path. */
  proveAddress(account: number, branch: number, index: number, requestJson: string): string {
    return this.#withKeys(account, branch, index, (keys) => makeAddressProof(keys, requestJson));
  }

  /** The messenger id of the address at this path: 96 hexadecimal characters. */
  messengerId(account: number, branch: number, index: number, network: string): string {
    const checked = expectNetwork(network, 'network');
    const publicKey = this.derivePublicKey(account, branch, index);
    return toHex(messengerIdBytes(checked, keyAddressBytes(publicKey)));
  }

  /** Asks for a chat: `{network, sender_address, recipient_address}`. */
  messengerRequest(account: number, requestJson: string): string {
    return this.#withMessenger(account, (secret) => composeRequest(secret, requestJson));
  }

  /** Answers a request: the parties and `request_payload_hex`. */
  messengerAccept(account: number, requestJson: string): string {
    return this.#withMessenger(account, (secret) => composeAccept(secret, requestJson));
  }

  /** Writes a message: the parties, both payloads that opened the chat, `sequence` and `text`. */
  messengerMessage(account: number, requestJson: string): string {
    return this.#withMessenger(account, (secret) => composeMessage(secret, requestJson));
  }

  /**
   * Rebuilds every chat of the account from `{network, own_addresses, payments}`. Senders are believed as given: verify each
   * transaction with the outputs that it spent before naming their owner as its sender.
   */
  messengerChats(account: number, paymentsJson: string): string {
    return this.#withMessenger(account, (secret) => rebuildChats(secret, paymentsJson));
  }

  /** Wipes the secret. Calling it again does nothing; every other use afterwards is refused. */
  free(): void {
    this.#freed = true;
    wipe(this.#node, ...this.#branches.values());
    this.#branches.clear();
    this.#lastPublicKey = undefined;
  }

  [Symbol.dispose](): void {
    this.free();
  }

  #expectUsable(): void {
    if (this.#freed) throw new SvcError('freed', 'the wallet root has been freed');
  }

  #derive(path: readonly number[]): Uint8Array {
    this.#expectUsable();
    return deriveKey(this.#node, path);
  }

  /** The seed of a key pair; the node of its branch is derived once. */
  #deriveSeed(path: KeyPath): Uint8Array {
    this.#expectUsable();
    const branch = path.slice(0, -1);
    let node = this.#branches.get(branch.join());
    if (node === undefined) {
      if (this.#branches.size >= BRANCHES_MAX) {
        wipe(...this.#branches.values());
        this.#branches.clear();
      }
      node = deriveNode(this.#node, branch);
      this.#branches.set(branch.join(), node);
    }
    return deriveKey(node, path.slice(-1));
  }

  #withMessenger<T>(account: number, use: (secret: Uint8Array) => T): T {
    const path = [PURPOSE_MESSENGER, expectInteger(account, 'account', 0, INDEX_MAX)];
    const secret = this.#derive(path);
    try {
      return use(secret);
    } finally {
      wipe(secret);
    }
  }

  #signWith(
    account: number,
    branch: number,
    index: number,
    message: Uint8Array,
    context: Uint8Array,
  ): Uint8Array {
    return this.#withKeys(account, branch, index, ({ secretKey }) => {
      return mlDsa65.sign(secretKey, expectBytes(message, 'message', MESSAGE_BYTES), { context });
    });
  }

  #withKeys<T>(account: number, branch: number, index: number, use: (keys: KeyPair) => T): T {
    const keys = this.#keysAt(keyPath(account, branch, index));
    try {
      return use(keys);
    } finally {
      wipe(keys.secretKey);
    }
  }

  #keysAt(path: KeyPath): KeyPair {
    const seed = this.#deriveSeed(path);
    try {
      const keys = mlDsa65.keygen(seed);
      this.#lastPublicKey = { path: path.join(), publicKey: keys.publicKey.slice() };
      return keys;
    } finally {
      wipe(seed);
    }
  }
}

type KeyPath = readonly [purpose: number, account: number, branch: number, index: number];

function keyPath(account: number, branch: number, index: number): KeyPath {
  return [
    PURPOSE_KEYS,
    expectInteger(account, 'account', 0, INDEX_MAX),
    expectInteger(branch, 'branch', 0, BRANCHES.change),
    expectInteger(index, 'index', 0, INDEX_MAX),
  ];
}

function checkPassphrase(passphrase: string): string {
  const path = 'passphrase';
  if (typeof passphrase !== 'string') {
    throw new SvcError('bad_type', `expected a string, found ${kindOf(passphrase)}`, { path });
  }
  if (passphrase.length > PASSPHRASE_CHARACTERS_MAX || !passphrase.isWellFormed()) {
    const expected = `expected at most ${PASSPHRASE_CHARACTERS_MAX} characters of valid Unicode`;
    throw new SvcError('bad_text', expected, { path });
  }
  return passphrase;
}
