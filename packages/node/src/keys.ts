/**
 * What holds a consensus key on a machine, for programs beside the node: the sealed key, the record on the disk and the
 * lock that keeps a second process from using the key.
 */
export { ConfigError } from './config/config-error.ts';
export { openKeyFile } from './config/key-file.ts';
export { readSecretFile } from './config/secret-file.ts';
export { FileSignState } from './validator/file-sign-state.ts';
export { SocketKeyLock } from './validator/key-lock.ts';
export { openSignerLink, type SignerLink, type SignerPlace } from './validator/signer-link.ts';
