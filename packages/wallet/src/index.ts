/**
 * svc-wallet: the wallet, its daemon and its files, for programs that start one.
 */

export {
  DAEMON_PORT,
  type DaemonOptions,
  openDaemon,
  type RunningDaemon,
  SERVICE_DEFAULT,
} from './daemon/open-daemon.ts';
export { FileRefusal, WalletError } from './errors.ts';
export { type InitOptions, initWallet, type NewWallet } from './file/open-wallet-file.ts';
export { readToken, tokenPath } from './file/token.ts';
export { openState, type State } from './state/open-state.ts';
export { VERSION } from './version.ts';
export { FEE_MAX_DEFAULT, Wallet, type WalletOptions } from './wallet.ts';
