/**
 * Where things are unless somebody says otherwise.
 */
export const DAEMON_PORT = 28_703;
export const SERVICE_DEFAULT = 'http://127.0.0.1:28701';
