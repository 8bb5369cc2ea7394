/**
 * What holds a consensus key on a machine: the sealed key, the record on the disk, the lock that keeps a second process
 * from using the key, and the link to a remote signer.
 */
export { FileSignState } from './file-sign-state.ts';
export { type KeyFilePlace, type KeyKind, openKeyFile } from './key-file.ts';
export { SocketKeyLock } from './key-lock.ts';
export { openSignerLink, type SignerLink, type SignerPlace } from './signer-link.ts';
