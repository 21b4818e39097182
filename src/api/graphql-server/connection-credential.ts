import { type Credential, toCredential } from '../http/credential.ts';

/** In any case, as parameters themselves or in a parameter `headers`. The first one found is used. */
const TOKEN_NAMES = ['token', 'authorization'];
const API_KEY_NAMES = ['x-api-key', 'apikey'];

/** Reads the credential from the `connectionParams` of a WebSocket, in all spellings that clients commonly use. */
export function readConnectionCredential(parameters: unknown, acceptsApiKeys: boolean): Credential | undefined {
  const values = toLowerCaseNames(parameters);
  const sources = [values, toLowerCaseNames(values.get('headers'))];
  const findAll = (names: readonly string[]) =>
    sources.flatMap((source) => names.map((name) => source.get(name))).filter((value) => typeof value === 'string');
  const token = findAll(TOKEN_NAMES).map(parseToken).find(Boolean);
  return toCredential(token, acceptsApiKeys ? findAll(API_KEY_NAMES).find(Boolean) : undefined);
}

function toLowerCaseNames(value: unknown): Map<string, unknown> {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return new Map(entries.map(([name, field]) => [name.toLowerCase(), field]));
}

/** With or without the scheme `Bearer`. Undefined for another scheme. */
function parseToken(text: string): string | undefined {
  return text.match(/^(?:Bearer +)?([A-Za-z0-9._~+/-]+=*) *$/i)?.[1];
}
