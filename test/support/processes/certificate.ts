import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** The option `skip` of a suite that needs a certificate. */
export const skipWithoutOpenssl: string | false =
  spawnSync('openssl', ['version']).status === 0 ? false : 'requires openssl';

/** Creates a certificate of 127.0.0.1 that signs itself. Returns the settings of the service. */
export function createCertificate(folder: string) {
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', key];
  const result = spawnSync('openssl', ['req', '-x509', ...newKey, '-out', cert, '-days', '2', ...subject]);
  assert.equal(result.status, 0, String(result.stderr));
  return { SWITCHBOARD_TLS_CERT: cert, SWITCHBOARD_TLS_KEY: key };
}
