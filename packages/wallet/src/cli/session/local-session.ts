/**
 * Holds the wallet in this process for as long as one command runs.
 */
import type { MethodName, MethodParams, MethodResult } from 'svc-api/rpc';
import { CliError, EXIT } from 'svc-base/cli';
import { SILENT_LOG } from 'svc-base/pure';
import { init } from 'svc-wasm';
import { WalletError } from '../../errors.ts';
import { openWalletFile } from '../../file/open-wallet-file.ts';
import { feeMaxOf } from '../../methods/method.ts';
import { callMethod } from '../../methods/table.ts';
import { GAP_DEFAULT } from '../../scan/scanner.ts';
import { auditPath } from '../../state/audit-file.ts';
import { journalCopyPath } from '../../state/journal-copy.ts';
import { openState } from '../../state/open-state.ts';
import { Wallet } from '../../wallet.ts';
import { expectWallet, passwordOf } from '../keys.ts';
import type { NodePlace, WalletPlace } from '../options.ts';
import type { Need, Session } from './session.ts';

export class LocalSession implements Session {
  readonly #wallet: Wallet;

  static async open(
    place: WalletPlace & NodePlace & { readonly maxFee: string | undefined },
    need: Need,
    purpose: string,
  ): Promise<LocalSession> {
    expectWallet(place);
    await init();
    const passwordOfKeys = (file: string): Promise<string> => passwordOf({ ...place, file });
    const opened = await openWalletFile(place.file, passwordOfKeys);
    const { fixed, identity, network, root } = opened;
    const state = openState(place.file, identity, purpose);
    const wallet = await Wallet.open({
      ...place,
      ...{ state, root, fixed, network, log: SILENT_LOG },
      journalCopy: place.journalCopy ?? journalCopyPath(place.file),
      auditFile: place.auditFile ?? auditPath(place.file),
      feeMax: feeMaxOf(place.maxFee),
    });
    const session = new LocalSession(wallet);
    try {
      await session.#prepare(need, place.gap ?? GAP_DEFAULT);
      return session;
    } catch (error) {
      await session.close();
      throw error;
    }
  }

  private constructor(wallet: Wallet) {
    this.#wallet = wallet;
  }

  async call<N extends MethodName>(method: N, params: MethodParams<N>): Promise<MethodResult<N>> {
    return await callMethod(this.#wallet, method, params);
  }

  async refresh(): Promise<void> {
    try {
      await this.#wallet.catchUp();
    } catch (error) {
      throw unreachable(error, this.#wallet.node.client.url);
    }
  }

  async close(): Promise<void> {
    await this.#wallet.close();
  }

  async #prepare(need: Need, gap: number): Promise<void> {
    if (need === 'keys') {
      await this.#wallet.keychain.lookAhead(0, gap, async () => {});
      return;
    }
    await this.refresh();
    if (need === 'follow') this.#wallet.start();
  }
}

function unreachable(error: unknown, url: string): unknown {
  if (!(error instanceof WalletError) || error.kind !== 'node_unreachable') return error;
  const hint = 'start one with `svcd run`, or name another with --service';
  return new CliError(EXIT.unreachable, `no node answers at ${url}`, { hint, cause: error });
}
