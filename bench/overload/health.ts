import { request } from 'node:http';

/** Returns the milliseconds until `/_health` has answered on a new connection. */
export function timeHealth(port: number, path = '/_health'): Promise<number> {
  const start = performance.now();
  return new Promise((resolve, reject) => {
    const options = { port, host: '127.0.0.1', path, agent: false } as const;
    request(options, (response) => {
      response.resume().once('end', () => resolve(performance.now() - start));
    })
      .once('error', reject)
      .end();
  });
}
