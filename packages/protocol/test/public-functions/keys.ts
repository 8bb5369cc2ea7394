/** Recovery phrases, the wallet root, ownership of addresses, wallet files. */
import type { PublicCheck } from './check.ts';
import { document, equal, hex, holds, refuses } from './check.ts';
import { CHAIN_ID, NETWORK, PHRASE, withWallet } from './fixture.ts';

const phrases: PublicCheck = {
  functions: ['mnemonicFromEntropy', 'mnemonicEntropy'],
  run: (svc) => {
    equal(svc.mnemonicFromEntropy(new Uint8Array(32)), PHRASE, 'words');
    equal(hex(svc.mnemonicEntropy(PHRASE)), '00'.repeat(32), 'entropy');
    refuses(svc, 'bad_mnemonic', () => svc.mnemonicEntropy(PHRASE.replace('art', 'zoo')));
    return [];
  },
};

const walletRoot: PublicCheck = {
  functions: ['fingerprint', 'derivePublicKey', 'sign', 'signPossession'],
  run: (svc) =>
    withWallet(svc, ({ root, publicKeys }) => {
      const message = new Uint8Array(48).fill(9);
      const [one, two] = [root.sign(0, 0, 0, message, true), root.sign(0, 0, 0, message, true)];
      equal(one.length, 3309, 'signature bytes');
      holds(hex(one) !== hex(two), 'fresh randomness in every signature');
      equal(root.signPossession(0, 0, 0, message).length, 3309, 'signature bytes');
      const other = svc.WalletRoot.fromMnemonic(PHRASE, 'passphrase');
      holds(hex(other.derivePublicKey(0, 0, 0)) !== hex(publicKeys[0] as Uint8Array), 'passphrase');
      other.free();
      refuses(svc, 'freed', () => other.fingerprint());
      return [root.fingerprint(), hex(root.derivePublicKey(1, 1, 7)).slice(0, 64)];
    }),
};

const ownership: PublicCheck = {
  functions: [
    'addressVerificationWords',
    'addressProofRequest',
    'verifyAddressProof',
    'proveAddress',
  ],
  run: (svc) =>
    withWallet(svc, ({ root, addresses: [address = ''] }) => {
      const asked = JSON.stringify({
        network: NETWORK,
        chain_id: CHAIN_ID,
        address,
        domain: 'exchange.example',
        expires_at_millis: '2000',
      });
      const request = svc.addressProofRequest(asked);
      const proof = root.proveAddress(0, 0, 0, request);
      const verified = document(svc.verifyAddressProof(proof, request, 1000));
      equal(verified['address'], address, 'address');
      refuses(svc, 'expired', () => svc.verifyAddressProof(proof, request, 3000));
      const other = svc.addressProofRequest(asked);
      refuses(svc, 'wrong_request', () => svc.verifyAddressProof(proof, other, 1000));
      return [svc.addressVerificationWords(address)];
    }),
};

const walletFiles: PublicCheck = {
  functions: ['sealWalletFile', 'openWalletFile'],
  run: (svc) => {
    const contents = JSON.stringify({ words: PHRASE });
    const cost = JSON.stringify({ memory_kib: '7168', passes: '5', lanes: '1' });
    const file = svc.sealWalletFile(contents, 'a long password', cost);
    equal(svc.openWalletFile(file, 'a long password'), contents, 'contents');
    refuses(svc, 'wrong_password', () => svc.openWalletFile(file, 'another password'));
    return [];
  },
};

export const keyChecks: readonly PublicCheck[] = [phrases, walletRoot, ownership, walletFiles];
