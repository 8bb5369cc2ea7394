/**
 * The kits that `npm run kits` measures beside each other: the same two wishes with each, written as its own documents
 * show them. They are installed aside when they are asked for, and are no dependencies of this project.
 */
export interface Kit {
  readonly name: string;
  /** Packages of the registry in exact versions; none for what is packed here. */
  readonly packages: readonly string[];
  /** Makes, signs and sends a payment, as far as the kit does that. */
  readonly payment: string;
  /** Decimal text as the smallest units; null if the kit has no such call. */
  readonly amount: string | null;
  /** A file that a payment loads beside its code, from the folder of installed packages. */
  readonly asset: string | null;
  /** Whether the package is for browsers; the code of others is bundled for Node. */
  readonly isForBrowsers: boolean;
  /** A call in TypeScript that is right, and a word of it that must not compile when it is misspelt. */
  readonly typed: { readonly program: string; readonly word: string };
}

export const KITS: readonly Kit[] = [
  {
    name: 'svc-client',
    packages: [],
    payment: `import { Account, coins, createClient, pay } from 'svc-client';
      import { init } from 'svc-wasm';
      export async function send(url, words, to, amount) {
        await init();
        const from = new Account(words, { network: 'mainnet' });
        return pay(createClient({ url }), { from, to, amount: coins(amount) });
      }`,
    amount: `export { parseAmount } from 'svc-wasm';`,
    asset: 'svc-wasm/svc.wasm',
    isForBrowsers: true,
    typed: {
      program: `import { type Account, type Client, pay } from 'svc-client';
        export const send = (client: Client, from: Account, to: string) => pay(client, { from, to, amount: 1n });`,
      word: 'amount',
    },
  },
  {
    name: 'viem',
    packages: ['viem@2.57.1'],
    payment: `import { createWalletClient, http, parseEther } from 'viem';
      import { mnemonicToAccount } from 'viem/accounts';
      import { mainnet } from 'viem/chains';
      export function send(url, words, to, amount) {
        const account = mnemonicToAccount(words);
        const client = createWalletClient({ account, chain: mainnet, transport: http(url) });
        return client.sendTransaction({ to, value: parseEther(amount) });
      }`,
    amount: `export { parseEther } from 'viem';`,
    asset: null,
    isForBrowsers: true,
    typed: {
      program: `import { createWalletClient, http } from 'viem';
        import { mnemonicToAccount } from 'viem/accounts';
        import { mainnet } from 'viem/chains';
        export const send = (words: string, to: \`0x\${string}\`) =>
          createWalletClient({ account: mnemonicToAccount(words), chain: mainnet, transport: http() })
            .sendTransaction({ to, value: 1n });`,
      word: 'value',
    },
  },
  {
    name: '@solana/kit',
    packages: ['@solana/kit@8.4.0', '@solana-program/system@0.14.1'],
    payment: `import { address, appendTransactionMessageInstruction, createKeyPairSignerFromPrivateKeyBytes, createSolanaRpc,
        createSolanaRpcSubscriptions, createTransactionMessage, getSignatureFromTransaction, pipe,
        sendAndConfirmTransactionFactory, setTransactionMessageFeePayerSigner, setTransactionMessageLifetimeUsingBlockhash,
        signTransactionMessageWithSigners, sol, solToLamports } from '@solana/kit';
      import { getTransferSolInstruction } from '@solana-program/system';
      export async function send(url, seed, to, amount) {
        const rpc = createSolanaRpc(url);
        const rpcSubscriptions = createSolanaRpcSubscriptions(url.replace('http', 'ws'));
        const source = await createKeyPairSignerFromPrivateKeyBytes(seed);
        const { value } = await rpc.getLatestBlockhash().send();
        const step = getTransferSolInstruction({ source, destination: address(to), amount: solToLamports(sol(amount)) });
        const message = pipe(
          createTransactionMessage({ version: 0 }),
          (made) => setTransactionMessageFeePayerSigner(source, made),
          (made) => setTransactionMessageLifetimeUsingBlockhash(value, made),
          (made) => appendTransactionMessageInstruction(step, made),
        );
        const signed = await signTransactionMessageWithSigners(message);
        await sendAndConfirmTransactionFactory({ rpc, rpcSubscriptions })(signed, { commitment: 'confirmed' });
        return getSignatureFromTransaction(signed);
      }`,
    amount: `import { sol, solToLamports } from '@solana/kit';
      export const parse = (text) => solToLamports(sol(text));`,
    asset: null,
    isForBrowsers: true,
    typed: {
      program: `import { type Address, type KeyPairSigner } from '@solana/kit';
        import { getTransferSolInstruction } from '@solana-program/system';
        export const step = (source: KeyPairSigner, destination: Address) =>
          getTransferSolInstruction({ source, destination, amount: 1n });`,
      word: 'amount',
    },
  },
  {
    name: 'bitcoinjs-lib',
    packages: ['bitcoinjs-lib@7.0.5', 'ecpair@3.0.2', '@bitcoinerlab/secp256k1@2.0.0'],
    payment: `import { payments, Psbt } from 'bitcoinjs-lib';
      import { ECPairFactory } from 'ecpair';
      import * as ecc from '@bitcoinerlab/secp256k1';
      export async function send(url, wif, spent, to, value) {
        const key = ECPairFactory(ecc).fromWIF(wif);
        const { output } = payments.p2wpkh({ pubkey: key.publicKey });
        const psbt = new Psbt()
          .addInput({ hash: spent.hash, index: spent.index, witnessUtxo: { script: output, value: spent.value } })
          .addOutput({ address: to, value });
        const body = psbt.signInput(0, key).finalizeAllInputs().extractTransaction().toHex();
        return (await fetch(url, { method: 'POST', body })).text();
      }`,
    amount: null,
    asset: null,
    isForBrowsers: true,
    typed: {
      program: `import { Psbt } from 'bitcoinjs-lib';
        export const begin = (address: string) => new Psbt().addOutput({ address, value: 1n });`,
      word: 'value',
    },
  },
  {
    name: 'kaspa-wasm',
    packages: ['kaspa-wasm@0.13.0'],
    // Its module is loaded whole whatever a program calls, so that naming the classes of a payment has the size of making one.
    payment: `import { Generator, PrivateKey, RpcClient } from 'kaspa-wasm';
      export { Generator, PrivateKey, RpcClient };`,
    amount: `export { kaspaToSompi } from 'kaspa-wasm';`,
    asset: 'kaspa-wasm/kaspa_wasm_bg.wasm',
    isForBrowsers: false,
    typed: {
      program: `import { Generator } from 'kaspa-wasm';
        export const begin = (changeAddress: string) =>
          new Generator({ changeAddress, entries: [], outputs: [], priorityFee: 0n });`,
      word: 'priorityFee',
    },
  },
];
