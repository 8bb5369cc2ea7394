/** The release of the miner. */
import { releaseOf } from 'svc-base/node';

export const RELEASE: string = releaseOf(new URL('../package.json', import.meta.url));
