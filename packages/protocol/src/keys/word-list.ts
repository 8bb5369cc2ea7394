/**
 * The English word list of BIP-39, alone in its module so that a bundler can load it apart.
 */
export { wordlist as WORD_LIST } from '@scure/bip39/wordlists/english.js';
