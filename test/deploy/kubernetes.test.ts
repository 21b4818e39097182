import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Deployment } from 'kubernetes-models/apps/v1';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import { Ingress, NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, Secret, Service } from 'kubernetes-models/v1';
import { readConfig } from '../../src/config.ts';
import { findUnknownSettings, isPinned, ROOT, readYaml } from './deploy-files.ts';

const KINDS = {
  Deployment,
  HorizontalPodAutoscaler,
  Ingress,
  NetworkPolicy,
  PodDisruptionBudget,
  ConfigMap,
  Secret,
  Service,
};
type Kind = keyof typeof KINDS;

const FOLDER = 'deploy/kubernetes';
const files = readdirSync(join(ROOT, FOLDER)).sort();
const manifests = new Map(files.map((file) => [file, readYaml(`${FOLDER}/${file}`)]));
const kustomization = manifests.get('kustomization.yaml');
const findManifest = (kind: Kind) => [...manifests.values()].find((manifest) => manifest.kind === kind);
const objects = [...manifests].filter(([file]) => file !== 'kustomization.yaml');

const { spec } = findManifest('Deployment');
const pod = spec.template.spec;
const [container] = pod.containers;

describe('the Kubernetes manifests', () => {
  for (const [file, manifest] of objects) {
    test(`${file} is valid by the schema of Kubernetes`, () => {
      const Model = KINDS[manifest.kind as Kind];
      assert.equal(manifest.apiVersion, Model.apiVersion);
      new Model(manifest).validate();
      assert.equal(manifest.metadata.namespace, undefined, 'the namespace is chosen when the manifests are applied');
    });
  }

  test('have no unknown fields', () => {
    const problems = findUnknownFields(objects.map(([, manifest]) => manifest));
    assert.equal(problems, '');
    const misspelled = structuredClone(findManifest('Deployment'));
    misspelled.spec.template.spec.terminationGraceSeconds = 5;
    assert.match(findUnknownFields([misspelled]), /terminationGraceSeconds/);
  });

  test('are applied together, except for the secret and optional ones', () => {
    for (const file of kustomization.resources) assert.ok(manifests.has(file), file);
    const separate = objects.map(([file]) => file).filter((file) => !kustomization.resources.includes(file));
    assert.deepEqual(separate, ['autoscaler.yaml', 'network-policy.yaml', 'secret.example.yaml']);
  });

  test('refer to each other by their actual names', () => {
    const labels = spec.template.metadata.labels;
    assert.deepEqual(spec.selector.matchLabels, labels);
    assert.deepEqual(findManifest('Service').spec.selector, labels);
    assert.deepEqual(findManifest('PodDisruptionBudget').spec.selector.matchLabels, labels);
    assert.deepEqual(findManifest('NetworkPolicy').spec.podSelector.matchLabels, labels);
    for (const { labelSelector } of pod.topologySpreadConstraints) assert.deepEqual(labelSelector.matchLabels, labels);
    assert.equal(findManifest('Service').spec.ports[0].targetPort, container.ports[0].name);
    assert.equal(
      findManifest('Ingress').spec.rules[0].http.paths[0].backend.service.name,
      findManifest('Service').metadata.name,
    );
    assert.equal(
      findManifest('HorizontalPodAutoscaler').spec.scaleTargetRef.name,
      findManifest('Deployment').metadata.name,
    );
    assert.equal(container.image.split(':')[0], kustomization.images[0].name);
    for (const [index, kind] of (['configMapRef', 'secretRef'] as const).entries()) {
      assert.equal(container.envFrom[index][kind].name, 'switchboard');
    }
  });

  test('give nodes a valid configuration without unknown settings', () => {
    const environment = { ...findManifest('ConfigMap').data, ...findManifest('Secret').stringData };
    assert.deepEqual(findUnknownSettings(environment), []);
    const config = readConfig(environment);
    assert.equal(config.databaseFile, undefined);
    assert.ok(config.SWITCHBOARD_TRUSTED_PROXIES.length > 0, 'all users would share one login limit');
    assert.ok(config.SWITCHBOARD_METRICS_TOKEN, 'Prometheus could not read the metrics');
    // Kubernetes would set SWITCHBOARD_PORT and similar variables, which the node refuses as unknown settings.
    assert.equal(pod.enableServiceLinks, false);
    assert.throws(() => readConfig({ ...environment, SWITCHBOARD_PORT: 'tcp://10.0.0.1:80' }));
  });

  test('check liveness without the database, and readiness with it', () => {
    const paths = ['startupProbe', 'livenessProbe', 'readinessProbe'].map((probe) => container[probe].httpGet.path);
    assert.deepEqual(paths, ['/_health', '/_health', '/_ready']);
    // A statement times out after 0.9 s.
    assert.ok(container.readinessProbe.timeoutSeconds > 0.9);
    assert.equal(container.ports[0].containerPort, 8080);
  });

  test('replace nodes one at a time, the new one first, and let the old one finish', () => {
    assert.deepEqual(spec.strategy.rollingUpdate, { maxUnavailable: 0, maxSurge: 1 });
    const { SWITCHBOARD_DRAIN_SECONDS: drain, SWITCHBOARD_STOP_TIMEOUT: stop } = findManifest('ConfigMap').data;
    assert.ok(pod.terminationGracePeriodSeconds > Number(drain) + Number(stop));
    const { periodSeconds, failureThreshold } = container.readinessProbe;
    assert.ok(Number(drain) > periodSeconds * failureThreshold);
    assert.equal(findManifest('PodDisruptionBudget').spec.maxUnavailable, 1);
    assert.ok(spec.replicas >= 3 && findManifest('HorizontalPodAutoscaler').spec.minReplicas >= 3);
  });

  test('run unprivileged with a read-only file system', () => {
    assert.equal(pod.securityContext.runAsNonRoot, true);
    assert.ok(pod.securityContext.runAsUser > 0);
    assert.equal(pod.automountServiceAccountToken, false);
    assert.equal(container.securityContext.readOnlyRootFilesystem, true);
    assert.equal(container.securityContext.allowPrivilegeEscalation, false);
    assert.deepEqual(container.securityContext.capabilities, { drop: ['ALL'] });
    assert.ok(
      isPinned(container.image) && isPinned(`${kustomization.images[0].newName}:${kustomization.images[0].newTag}`),
    );
  });
});

/** The schemas accept unknown fields; the matching TypeScript types do not. */
function findUnknownFields(checkedManifests: readonly { kind: string; apiVersion: string }[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-manifests-'));
  try {
    symlinkSync(join(ROOT, 'test/node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    const lines = checkedManifests.map((manifest, index) => {
      const path = manifest.apiVersion;
      return [
        `import type { I${manifest.kind} as Kind${index} } from 'kubernetes-models/${path}';`,
        `export const manifest${index}: Kind${index} = ${JSON.stringify(manifest, null, 1)};`,
      ].join('\n');
    });
    writeFileSync(join(folder, 'manifests.ts'), lines.join('\n'));
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--types', ''];
    const { stdout } = spawnSync(join(ROOT, 'test/node_modules/.bin/tsc'), [...options, 'manifests.ts'], {
      cwd: folder,
      encoding: 'utf8',
    });
    return stdout;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
