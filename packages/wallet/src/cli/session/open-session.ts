/**
 * Finds who holds the wallet. If a daemon does, its methods are called; otherwise this process opens the wallet
 * itself, and the lock of the state refuses it where another program has the wallet. What the holder file says counts
 * only while the lock is held: the file outlives a daemon that was killed.
 */
import { existsSync } from 'node:fs';
import { holderPath, isStateHeld } from '../../state/open-state.ts';
import { readHolder } from '../../state/state-files.ts';
import { type CommandOptions, nodePlace, textOf, walletPlace } from '../options.ts';
import { DaemonSession } from './daemon-session.ts';
import type { Need, Session } from './session.ts';

export async function openSession(
  options: CommandOptions,
  need: Need,
  purpose: string,
): Promise<Session> {
  const maxFee = textOf(options, 'maxFee');
  const place = { ...walletPlace(options), ...nodePlace(options), maxFee };
  const holderFile = holderPath(place.file);
  const isHeld = existsSync(holderFile) && isStateHeld(place.file);
  const holder = isHeld ? readHolder(holderFile) : undefined;
  const tokenFile = textOf(options, 'tokenFile') ?? holder?.tokenFile;
  if (holder?.url !== undefined && tokenFile !== undefined) {
    const daemon = await DaemonSession.find(holder.url, tokenFile, holder.fingerprint);
    if (daemon !== undefined) return daemon;
  }
  const { LocalSession } = await import('./local-session.ts');
  return await LocalSession.open(place, need, purpose);
}

export async function withSession<T>(
  options: CommandOptions,
  need: Need,
  purpose: string,
  use: (session: Session) => Promise<T>,
): Promise<T> {
  const session = await openSession(options, need, purpose);
  try {
    return await use(session);
  } finally {
    await session.close();
  }
}
