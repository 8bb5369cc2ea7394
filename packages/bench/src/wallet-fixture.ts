/**
 * A wallet's state of the size of a busy exchange: addresses of many customers and outputs at some of them. The
 * addresses are names that cannot be paid to, except the first, whose key signs.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openState, type State } from 'svc-wallet';
import { addressFromPublicKey, WalletRoot } from 'svc-wasm';

export const COIN = 100_000_000n;

export interface WalletSize {
  readonly addresses: number;
  readonly outputs: number;
}

export class WalletFixture {
  readonly root = WalletRoot.fromMnemonic(`${'abandon '.repeat(23)}art`);
  readonly #directory = mkdtempSync(join(tmpdir(), 'svc-wallet-bench-'));
  state: State;

  constructor({ addresses, outputs }: WalletSize) {
    this.state = this.open();
    this.state.database.transaction(() => {
      for (let at = 0; at < addresses; at++)
        this.state.addresses.add(0, at, this.addressAt(at), true);
    });
    this.state.database.transaction(() => {
      for (let at = 0; at < outputs; at++) this.addOutput(at, 1 + (at % addresses));
    });
    // What was written is in the log until then, and would be moved into its file by the first payment.
    this.state.close();
    this.state = this.open();
  }

  open(): State {
    const identity = { fingerprint: this.root.fingerprint(), network: 'development' };
    return openState(join(this.#directory, 'wallet'), identity, 'bench');
  }

  addressAt(at: number): string {
    return at === 0
      ? addressFromPublicKey(this.root.derivePublicKey(0, 0, 0), 'development')
      : `dsvc1q${String(at).padStart(82, 'q')}`;
  }

  addOutput(at: number, addressId: number): void {
    this.state.outputs.receive(
      {
        transactionId: at.toString(16).padStart(96, '0'),
        outputIndex: 0,
        addressId,
        amount: COIN + BigInt((at * 7919) % 1_000_003),
        source: 'regular',
        height: 1 + (at >> 4),
        payloadText: null,
        payloadHex: null,
        senders: 'not_kept',
        isMessenger: false,
      },
      0,
    );
  }

  close(): void {
    this.state.close();
    this.root.free();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
