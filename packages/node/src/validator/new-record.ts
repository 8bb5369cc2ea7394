/**
 * Begins the record of what a consensus key signed at the moment the key is made. Such a record
 * holds every signature of the key, so the first start needs neither silence nor an operator's word, however late it is.
 */
import { mkdirSync } from 'node:fs';
import { type ConsensusKey, height, openSigner } from 'svc-consensus/machine';
import { FileSignState } from 'svc-consensus/signer';

/** `key` has just been made and has never left this process. `directory` has no record yet. */
export function beginRecord(directory: string, key: ConsensusKey): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const lock = { acquire: () => true, release: () => {} };
  const opened = openSigner(
    { storage: new FileSignState(directory), lock, key },
    { chainHeight: height(0), newSignState: true, firstUse: true },
  );
  if (opened.type === 'refused')
    throw new Error(`${directory}: no record of signatures can be begun: ${opened.reason}`);
  opened.signer.close();
}
