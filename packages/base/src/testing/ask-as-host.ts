/** Asks a listener of this machine under a name of one's own choice, as a page does that has bound its name here. */
import { request } from 'node:http';

/** The status of the answer to GET. */
export function askAsHost(url: string, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = request(url, { headers: { host }, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    call.on('error', reject);
    call.end();
  });
}
