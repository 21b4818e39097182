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
import { isPinned, ROOT, readYaml, unknownSettings } from './deploy-files.ts';

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
const ofKind = (kind: Kind) => [...manifests.values()].find((each) => each.kind === kind);
const objects = [...manifests].filter(([file]) => file !== 'kustomization.yaml');

const { spec } = ofKind('Deployment');
const pod = spec.template.spec;
const [container] = pod.containers;

describe('the Kubernetes manifests', () => {
  for (const [file, manifest] of objects) {
    test(`${file} is one, by the schema of Kubernetes`, () => {
      const Model = KINDS[manifest.kind as Kind];
      assert.equal(manifest.apiVersion, Model.apiVersion);
      new Model(manifest).validate();
      assert.equal(manifest.metadata.namespace, undefined, 'the namespace is whoever applies it to say');
    });
  }

  test('have no field that Kubernetes does not know', () => {
    const problems = unknownFields(objects.map(([, manifest]) => manifest));
    assert.equal(problems, '');
    const misspelt = structuredClone(ofKind('Deployment'));
    misspelt.spec.template.spec.terminationGraceSeconds = 5;
    assert.match(unknownFields([misspelt]), /terminationGraceSeconds/);
  });

  test('are applied together, but for the secret and what is optional', () => {
    for (const file of kustomization.resources) assert.ok(manifests.has(file), file);
    const apart = objects.map(([file]) => file).filter((file) => !kustomization.resources.includes(file));
    assert.deepEqual(apart, ['autoscaler.yaml', 'network-policy.yaml', 'secret.example.yaml']);
  });

  test('name each other as they are named', () => {
    const labels = spec.template.metadata.labels;
    assert.deepEqual(spec.selector.matchLabels, labels);
    assert.deepEqual(ofKind('Service').spec.selector, labels);
    assert.deepEqual(ofKind('PodDisruptionBudget').spec.selector.matchLabels, labels);
    assert.deepEqual(ofKind('NetworkPolicy').spec.podSelector.matchLabels, labels);
    for (const { labelSelector } of pod.topologySpreadConstraints) assert.deepEqual(labelSelector.matchLabels, labels);
    assert.equal(ofKind('Service').spec.ports[0].targetPort, container.ports[0].name);
    assert.equal(ofKind('Ingress').spec.rules[0].http.paths[0].backend.service.name, ofKind('Service').metadata.name);
    assert.equal(ofKind('HorizontalPodAutoscaler').spec.scaleTargetRef.name, ofKind('Deployment').metadata.name);
    assert.equal(container.image.split(':')[0], kustomization.images[0].name);
    for (const [index, kind] of (['configMapRef', 'secretRef'] as const).entries()) {
      assert.equal(container.envFrom[index][kind].name, 'switchboard');
    }
  });

  test('give a node what it starts with, and nothing that it does not know', () => {
    const environment = { ...ofKind('ConfigMap').data, ...ofKind('Secret').stringData };
    assert.deepEqual(unknownSettings(environment), []);
    const config = readConfig(environment);
    assert.equal(config.databaseFile, undefined);
    assert.ok(config.SWITCHBOARD_TRUSTED_PROXIES.length > 0, 'all users would share one login limit');
    // Kubernetes would tell of the service by SWITCHBOARD_PORT and its like, which the node refuses as misspelt.
    assert.equal(pod.enableServiceLinks, false);
    assert.throws(() => readConfig({ ...environment, SWITCHBOARD_PORT: 'tcp://10.0.0.1:80' }));
  });

  test('ask whether it lives without asking the database, and whether it is ready with it', () => {
    const paths = ['startupProbe', 'livenessProbe', 'readinessProbe'].map((probe) => container[probe].httpGet.path);
    assert.deepEqual(paths, ['/_health', '/_health', '/_ready']);
    // A statement is given up after 0.9 s.
    assert.ok(container.readinessProbe.timeoutSeconds > 0.9);
    assert.equal(container.ports[0].containerPort, 8080);
  });

  test('replace nodes one at a time, the new one first, and let the old one finish', () => {
    assert.deepEqual(spec.strategy.rollingUpdate, { maxUnavailable: 0, maxSurge: 1 });
    const { SWITCHBOARD_DRAIN_SECONDS: drain, SWITCHBOARD_STOP_TIMEOUT: stop } = ofKind('ConfigMap').data;
    assert.ok(pod.terminationGracePeriodSeconds > Number(drain) + Number(stop));
    const { periodSeconds, failureThreshold } = container.readinessProbe;
    assert.ok(Number(drain) > periodSeconds * failureThreshold);
    assert.equal(ofKind('PodDisruptionBudget').spec.maxUnavailable, 1);
    assert.ok(spec.replicas >= 3 && ofKind('HorizontalPodAutoscaler').spec.minReplicas >= 3);
  });

  test('run as nobody in particular, who may write nothing', () => {
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

/** The schemas let a misspelt field pass; the types that belong to them do not. */
function unknownFields(wanted: readonly { kind: string; apiVersion: string }[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-manifests-'));
  try {
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    const lines = wanted.map((manifest, index) => {
      const path = manifest.apiVersion;
      return [
        `import type { I${manifest.kind} as Kind${index} } from 'kubernetes-models/${path}';`,
        `export const manifest${index}: Kind${index} = ${JSON.stringify(manifest, null, 1)};`,
      ].join('\n');
    });
    writeFileSync(join(folder, 'manifests.ts'), lines.join('\n'));
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--types', ''];
    const { stdout } = spawnSync(join(ROOT, 'node_modules/.bin/tsc'), [...options, 'manifests.ts'], {
      cwd: folder,
      encoding: 'utf8',
    });
    return stdout;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
