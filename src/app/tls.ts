import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { type Config, ConfigError } from '../config.ts';

/** Reads the certificate and private key; undefined if TLS is not configured. */
export function readTls({ SWITCHBOARD_TLS_CERT: cert, SWITCHBOARD_TLS_KEY: key }: Config) {
  if (!cert || !key) return undefined;
  const tls = { cert: readFileSync(cert), key: readFileSync(key) };
  try {
    createSecureContext(tls); // reports invalid files as a configuration error
  } catch (error) {
    throw new ConfigError([
      `SWITCHBOARD_TLS_CERT and SWITCHBOARD_TLS_KEY cannot be used together: ${(error as Error).message}.`,
    ]);
  }
  return tls;
}
