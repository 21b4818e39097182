import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { stringify } from 'yaml';
import {
  createDatabase,
  DATABASE_PREFIX,
  databaseUrlOf,
  dropDatabase,
  postgresServerUrl,
  TEST_SECRET,
} from '../support/databases/postgres-database.ts';
import { type SwitchboardProcess, startSwitchboardProcess } from '../support/processes/switchboard.ts';
import { ROOT, readText, readYaml } from './deploy-files.ts';

/** Exposed only on PostgreSQL. */
const POSTGRES_ONLY = /^switchboard_database_(connections|waiting|listening|failures|wake_ups)/;

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string };
}

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly type: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string }[];
}

const FOLDER = join(ROOT, 'deploy/prometheus');
const rules: Rule[] = readYaml('deploy/prometheus/alerts.yaml').groups.flatMap(({ rules }: { rules: Rule[] }) => rules);
const panels: Panel[] = JSON.parse(readText('deploy/grafana/switchboard.json')).panels;
const queries = panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => ({ title, expr: substituteVariables(expr) })),
);
const page = readText('docs/high-availability.md');

const promtool = (...args: string[]) => spawnSync('promtool', args, { cwd: FOLDER, encoding: 'utf8' });
const skip = promtool('--version').error !== undefined && 'requires promtool';

describe('the alert rules', () => {
  for (const [title, ...args] of [
    ['are valid', 'check', 'rules', 'alerts.yaml'],
    ['fire when they should, and not before', 'test', 'rules', 'alerts.test.yaml'],
  ] as const) {
    test(title, { skip }, () => {
      const { status, stdout, stderr } = promtool(...args);
      assert.equal(status, 0, stdout + stderr);
    });
  }

  test('are loaded by the Prometheus configuration', { skip }, () => {
    const folder = mkdtempSync(join(tmpdir(), 'switchboard-prometheus-'));
    try {
      cpSync(FOLDER, folder, { recursive: true });
      const token = join(folder, 'metrics-token'); // promtool wants it to exist
      writeFileSync(token, 'token');
      const config = readText('deploy/prometheus/prometheus.yaml').replace('/prometheus/metrics-token', token);
      writeFileSync(join(folder, 'prometheus.yaml'), config);
      const { status, stdout, stderr } = promtool('check', 'config', join(folder, 'prometheus.yaml'));
      assert.equal(status, 0, stdout + stderr);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test('each have a test, a severity, and a line in the documentation', () => {
    const tests = readText('deploy/prometheus/alerts.test.yaml');
    for (const { alert, labels, annotations } of rules) {
      const fires = new RegExp(`alertname: ${alert}\\n\\s+eval_time: \\S+\\n\\s+exp_alerts:`);
      assert.ok(fires.test(tests), `no test in which ${alert} fires`);
      assert.match(labels.severity, /^(critical|warning)$/);
      assert.ok(annotations.summary);
    }
    const documented = [...page.matchAll(/^\| `(Switchboard\w+)` \|/gm)].map(([, name]) => name);
    assert.deepEqual(documented.sort(), rules.map(({ alert }) => alert).sort());
  });
});

describe('the dashboard', () => {
  test('has panels that do not overlap', () => {
    assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
    const occupied = new Map<string, string>();
    for (const { title, gridPos } of panels) {
      assert.ok(gridPos.x + gridPos.w <= 24, title);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
          assert.equal(occupied.get(`${x} ${y}`), undefined, `${title} overlaps another panel`);
          occupied.set(`${x} ${y}`, title);
        }
      }
    }
  });

  test('has valid Prometheus expressions', { skip }, () => {
    const folder = mkdtempSync(join(tmpdir(), 'switchboard-dashboard-'));
    try {
      const records = queries.map(({ expr }, index) => ({ record: `panel:${index}`, expr }));
      writeFileSync(join(folder, 'panels.yaml'), stringify({ groups: [{ name: 'panels', rules: records }] }));
      const { status, stderr } = promtool('check', 'rules', join(folder, 'panels.yaml'));
      assert.equal(status, 0, stderr);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe('a running node', () => {
  let switchboard: SwitchboardProcess;
  let metricNames: Set<string>;
  let metricsText: string;
  const address = postgresServerUrl && databaseUrlOf(`${DATABASE_PREFIX}${process.pid}_monitoring`);
  before(async () => {
    if (address) await createDatabase(address);
    const env = address ? { DATABASE_URL: address, SWITCHBOARD_SECRET: TEST_SECRET } : {};
    switchboard = await startSwitchboardProcess({ env });
    await fetch(`${switchboard.url}/_ready`);
    metricsText = await (await fetch(`${switchboard.url}/metrics`)).text();
    metricNames = new Set([...metricsText.matchAll(/^([a-z_0-9]+)[{ ]/gm)].map(([, name]) => name as string));
  });
  after(async () => {
    await switchboard?.stop();
    if (address) await dropDatabase(address);
  });

  test('exposes every metric that the alerts and the dashboard use', () => {
    const usedMetrics = [...rules, ...queries].flatMap(({ expr }) => extractMetrics(expr));
    assert.ok(usedMetrics.length > 30);
    assert.deepEqual(
      [...new Set(usedMetrics)].filter((name) => name !== 'up' && !metricNames.has(name)),
      [],
    );
  });

  test('exposes the labels that they select by', () => {
    const labels = [...rules, ...queries].flatMap(({ expr }) => [...expr.matchAll(/(switchboard_\w+)\{([^}]*)\}/g)]);
    for (const [, name = '', selector = ''] of labels) {
      if (!address && POSTGRES_ONLY.test(name)) continue;
      const line = metricsText.match(new RegExp(`^${name}\\{.*$`, 'm'))?.[0] ?? '';
      for (const [, label] of selector.matchAll(/(\w+)(?:=|!)/g))
        assert.ok(line.includes(`${label}="`), `${name} ${label}`);
    }
  });

  test('has every metric in the dashboard, an alert, or the documentation', () => {
    const texts = [...rules, ...queries].map(({ expr }) => expr).join() + readText('docs/operations.md');
    const switchboardMetrics = [...metricNames].filter(
      (name) => name.startsWith('switchboard_') && !/_(bucket|sum)$/.test(name),
    );
    assert.deepEqual(
      switchboardMetrics.filter((name) => !texts.includes(name)),
      [],
    );
  });
});

/** Substitutes variables like Grafana. */
function substituteVariables(expression: string): string {
  return expression.replaceAll('$__rate_interval', '5m').replaceAll('$job', 'switchboard');
}

/** Metric names in an expression, without labels and functions. */
function extractMetrics(expression: string): string[] {
  const withoutLabels = expression.replaceAll(/\{[^}]*\}/g, '').replaceAll(/\b(by|without|on)\s*\([^)]*\)/g, '');
  return [...withoutLabels.matchAll(/\b(?:switchboard|process|nodejs)_\w+|\bup\b/g)].map(([name]) => name);
}
