import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { type Config, ConfigError } from '../config.ts';

/** The certificate and its key, if the service speaks TLS itself. */
export function readTls({ SWITCHBOARD_TLS_CERT: cert, SWITCHBOARD_TLS_KEY: key }: Config) {
  if (!cert || !key) return undefined;
  const tls = { cert: readFileSync(cert), key: readFileSync(key) };
  try {
    createSecureContext(tls); // what is wrong with the files is said in words, not by a failure deep in the server
  } catch (error) {
    throw new ConfigError([
      `SWITCHBOARD_TLS_CERT and SWITCHBOARD_TLS_KEY cannot be used together: ${(error as Error).message}.`,
    ]);
  }
  return tls;
}
