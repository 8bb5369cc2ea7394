/**
 * The shell of a node.
 */
export { FileLog } from './validator/file-log.ts';
export { FileSignState } from './validator/file-sign-state.ts';
export { SocketKeyLock } from './validator/key-lock.ts';
