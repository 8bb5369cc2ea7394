/**
 * The release of the wallet.
 */
export const VERSION = '0.1.0';
