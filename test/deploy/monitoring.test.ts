import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { stringify } from 'yaml';
import {
  addressOf,
  dropDatabase,
  makeDatabase,
  PREFIX,
  postgresServer,
  SECRET,
} from '../support/databases/postgres-database.ts';
import { type SwitchboardProcess, startSwitchboardProcess } from '../support/processes/switchboard.ts';
import { ROOT, readText, readYaml } from './deploy-files.ts';

/** Shown on PostgreSQL alone. */
const ONLY_OF_A_SERVER = /^switchboard_database_(connections|waiting|listening|failures|wake_ups)/;

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
const asked = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr: filledIn(expr) })));
const page = readText('docs/high-availability.md');

const promtool = (...args: string[]) => spawnSync('promtool', args, { cwd: FOLDER, encoding: 'utf8' });
const skip = promtool('--version').error !== undefined && 'there is no promtool on this machine';

describe('the alert rules', () => {
  for (const [what, ...args] of [
    ['are rules', 'check', 'rules', 'alerts.yaml'],
    ['fire when they should and not before', 'test', 'rules', 'alerts.test.yaml'],
    ['are read by the configuration for Prometheus', 'check', 'config', 'prometheus.yaml'],
  ] as const) {
    test(what, { skip }, () => {
      const { status, stdout, stderr } = promtool(...args);
      assert.equal(status, 0, stdout + stderr);
    });
  }

  test('have a test each, a severity, and a line in the documentation', () => {
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
  test('has panels that lie beside each other', () => {
    assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
    const taken = new Map<string, string>();
    for (const { title, gridPos } of panels) {
      assert.ok(gridPos.x + gridPos.w <= 24, title);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
          assert.equal(taken.get(`${x} ${y}`), undefined, `${title} lies over another`);
          taken.set(`${x} ${y}`, title);
        }
      }
    }
  });

  test('asks what Prometheus understands', { skip }, () => {
    const folder = mkdtempSync(join(tmpdir(), 'switchboard-dashboard-'));
    try {
      const records = asked.map(({ expr }, index) => ({ record: `panel:${index}`, expr }));
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
  let shown: Set<string>;
  let numbers: string;
  const address = postgresServer && addressOf(`${PREFIX}${process.pid}_monitoring`);
  before(async () => {
    if (address) await makeDatabase(address);
    const env = address ? { DATABASE_URL: address, SWITCHBOARD_SECRET: SECRET } : {};
    switchboard = await startSwitchboardProcess({ env });
    await fetch(`${switchboard.url}/_ready`);
    numbers = await (await fetch(`${switchboard.url}/metrics`)).text();
    shown = new Set([...numbers.matchAll(/^([a-z_0-9]+)[{ ]/gm)].map(([, name]) => name as string));
  });
  after(async () => {
    await switchboard?.stop();
    if (address) await dropDatabase(address);
  });

  test('shows every number that the alerts and the dashboard look at', () => {
    const wanted = [...rules, ...asked].flatMap(({ expr }) => metricsIn(expr));
    assert.ok(wanted.length > 30);
    assert.deepEqual(
      [...new Set(wanted)].filter((name) => name !== 'up' && !shown.has(name)),
      [],
    );
  });

  test('shows the labels that they select by', () => {
    const labels = [...rules, ...asked].flatMap(({ expr }) => [...expr.matchAll(/(switchboard_\w+)\{([^}]*)\}/g)]);
    for (const [, name = '', selector = ''] of labels) {
      if (!address && ONLY_OF_A_SERVER.test(name)) continue;
      const line = numbers.match(new RegExp(`^${name}\\{.*$`, 'm'))?.[0] ?? '';
      for (const [, label] of selector.matchAll(/(\w+)(?:=|!)/g))
        assert.ok(line.includes(`${label}="`), `${name} ${label}`);
    }
  });

  test('is looked at by every number of its own: in the dashboard, an alert, or the documentation', () => {
    const texts = [...rules, ...asked].map(({ expr }) => expr).join() + readText('docs/operations.md');
    const own = [...shown].filter((name) => name.startsWith('switchboard_') && !/_(bucket|sum)$/.test(name));
    assert.deepEqual(
      own.filter((name) => !texts.includes(name)),
      [],
    );
  });
});

/** As Grafana does it. */
function filledIn(expression: string): string {
  return expression.replaceAll('$__rate_interval', '5m').replaceAll('$job', 'switchboard');
}

/** Names in an expression that are neither labels nor functions of the language. */
function metricsIn(expression: string): string[] {
  const bare = expression.replaceAll(/\{[^}]*\}/g, '').replaceAll(/\b(by|without|on)\s*\([^)]*\)/g, '');
  return [...bare.matchAll(/\b(?:switchboard|process|nodejs)_\w+|\bup\b/g)].map(([name]) => name);
}
