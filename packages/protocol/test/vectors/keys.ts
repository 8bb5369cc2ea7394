/**
 * Steps on the way to what `wallet.json` holds: key derivation of section 11 number by number, and
 * the messages that address proofs and service answers sign.
 */
import { mnemonicToSeedSync } from '@scure/bip39';
import { fromHex, toHex } from '../../src/base/bytes.ts';
import { NETWORKS, type Network } from '../../src/base/networks.ts';
import { deriveKey, masterNode, networkSeed } from '../../src/keys/derivation.ts';
import {
  canonicalMnemonic,
  mnemonicEntropy,
  mnemonicFromEntropy,
} from '../../src/keys/mnemonic.ts';
import { proofMessage, readProofRequest } from '../../src/ownership/proof-request.ts';
import { serviceResponseMessage } from '../../src/service/service-answer.ts';
import { seededBytes } from '../seeded-bytes.ts';
import { refusedTexts } from './refused.ts';
import type { WalletVectors } from './wallet-file-vectors.ts';
import { walletVectors } from './wallet-file-vectors.ts';

const ENTROPIES = ['00'.repeat(32), 'ff'.repeat(32), toHex(seededBytes('entropy', 32))];
const PATHS = [[204, 0, 0, 0], [204, 0, 1, 7], [204, 2 ** 31 - 1, 1, 2 ** 31 - 1], [205, 0], [206]];

function derivation(entropy: string, passphrase: string, network: Network = 'mainnet'): object {
  const words = mnemonicFromEntropy(fromHex(entropy));
  const seed = mnemonicToSeedSync(words, passphrase);
  const node = masterNode(networkSeed(seed, NETWORKS[network].code));
  return {
    network,
    entropy_hex: entropy,
    words,
    passphrase,
    seed_hex: toHex(seed),
    master_key_hex: toHex(node.subarray(0, 32)),
    master_chain_code_hex: toHex(node.subarray(32)),
    keys: PATHS.map((path) => ({ path, key_hex: toHex(deriveKey(node, path)) })),
  };
}

function otherForms(): object[] {
  const words = mnemonicFromEntropy(fromHex(ENTROPIES[2] as string));
  const forms = [words.toUpperCase(), `\n ${words.replaceAll(' ', ' \t')}\r\n`];
  return forms.map((text) => ({ text, words: canonicalMnemonic(text) }));
}

function refusedPhrases(): object[] {
  const words = mnemonicFromEntropy(fromHex(ENTROPIES[0] as string));
  return refusedTexts('words', mnemonicEntropy, {
    'a wrong checksum': words.replace('art', 'abandon'),
    'a word that is not in the list': words.replace('art', 'artt'),
    '23 words': words.replace(' art', ''),
    '12 words': `${'abandon '.repeat(11)}about`,
    nothing: '',
  });
}

function serviceMessage(answer: WalletVectors['service_answer']): string {
  const message = serviceResponseMessage({
    method: answer.method,
    target: answer.target,
    requestBody: fromHex(answer.request_body_hex),
    status: Number(answer.status),
    responseBody: fromHex(answer.response_body_hex),
    nonce: fromHex(answer.nonce),
    chainId: fromHex(answer.chain_id),
    finalizedHeight: BigInt(answer.headers['x-svc-tip-height'] ?? ''),
  });
  return toHex(message);
}

export function keyVectors(): object {
  const { address_proof, service_answer } = walletVectors();
  const request = readProofRequest(JSON.stringify(address_proof.request));
  return {
    note: 'Key derivation of section 11 of docs/protocol.md from entropy to the seeds of ML-DSA-65 keys, and what the address proof and the service answer of wallet.json sign.',
    derivations: [
      ...ENTROPIES.map((entropy) => derivation(entropy, '')),
      derivation(ENTROPIES[2] as string, 'Ångström ﬁ'),
      derivation(ENTROPIES[2] as string, '', 'testnet'),
      derivation(ENTROPIES[2] as string, '', 'testnet100'),
      derivation(ENTROPIES[2] as string, 'Ångström ﬁ', 'development'),
    ],
    other_forms_of_words: otherForms(),
    refused_words: refusedPhrases(),
    address_proof_message: toHex(proofMessage(request)),
    service_answer_message: serviceMessage(service_answer),
  };
}
