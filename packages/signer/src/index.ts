/**
 * svc-signer: a consensus key in a process of its own. The program is `bin/svc-signer.js`; this is what tests start.
 */
export { main } from './main.ts';
export { type RunningSigner, type SignerOptions, startSigner } from './signer.ts';
