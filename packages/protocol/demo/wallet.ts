/** First part: a wallet of 24 words and its addresses. */
import {
  addressFromPublicKey,
  addressVerificationWords,
  mnemonicFromEntropy,
  WalletRoot,
} from 'svc-wasm';
import type { Screen } from './screen.ts';
import { timed } from './screen.ts';

const NETWORK = 'development';
const WORDS_IN_A_ROW = 6;

export interface DemoWallet {
  readonly root: WalletRoot;
  readonly publicKeys: readonly Uint8Array[];
  readonly addresses: readonly string[];
}

export function showWallet(screen: Screen): DemoWallet {
  screen.title('1  A wallet');
  const phrase = mnemonicFromEntropy(crypto.getRandomValues(new Uint8Array(32)));
  const words = phrase.split(' ').map((word, i) => `${String(i + 1).padStart(2)} ${word}`);
  screen.columns(
    Array.from({ length: words.length / WORDS_IN_A_ROW }, (_, row) =>
      words.slice(row * WORDS_IN_A_ROW, (row + 1) * WORDS_IN_A_ROW),
    ),
  );
  screen.warn(
    'These words are the key to the wallet. Write those of a real one on paper and keep them secret.',
  );
  screen.warn('This wallet is forgotten when the demonstration ends; send nothing to it.');

  const { result: root, time } = timed(() => WalletRoot.fromMnemonic(phrase));
  const publicKeys = [0, 1, 2].map((index) => root.derivePublicKey(0, 0, index));
  const addresses = publicKeys.map((key) => addressFromPublicKey(key, NETWORK));
  screen.facts([
    ['fingerprint', root.fingerprint()],
    ['opened in', time],
  ]);
  screen.say('Its first addresses, each with six words for reading it out on the telephone:');
  for (const [index, address] of addresses.entries()) {
    screen.facts([
      [`${index}`, address],
      [' ', addressVerificationWords(address)],
    ]);
  }
  return { root, publicKeys, addresses };
}
