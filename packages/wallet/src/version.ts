/**
 * The release of the wallet.
 */
import { releaseOf } from 'svc-base/node';

export const VERSION: string = releaseOf(new URL('../package.json', import.meta.url));
