import type { FastifyInstance } from 'fastify';
import { type Profile, type Profiles, profileUpdate } from '../../core/administration/profile.ts';
import { unknownId } from '../../core/kernel/errors.ts';
import type { OperatorQuery } from '../../core/operators/operator-query.ts';
import { readBody } from './body.ts';
import { renderSingle, sendJson } from './envelope.ts';
import { toWireKeys } from './names.ts';
import { readQuery, readSingleSelection } from './query.ts';
import { rejectReadOnlyChanges } from './read-only.ts';
import { readPathId, renderSubresource } from './resource.ts';
import { readInput } from './wire.ts';
import type { Writes } from './write.ts';

export function registerOperatorProfile(
  app: FastifyInstance,
  operators: OperatorQuery,
  profiles: Profiles,
  writes: Writes,
): void {
  app.get('/operator/:id/profile', async (request, reply) => {
    const id = readPathId(request, 'operator');
    const { accountId } = request.caller;
    if (!(await operators.loadStamp(accountId, id))) throw unknownId('operator', id);
    const profile = toWireKeys(await profiles.find(accountId, id)) as Record<string, unknown>;
    return sendJson(reply, 200, renderSingle(renderSubresource(profile, readSingleSelection(readQuery(request)))));
  });

  app.put('/operator/:id/profile', (request, reply) =>
    writes.run<Profile>(request, reply, {
      perform: async (commit) => {
        const id = readPathId(request, 'operator');
        const input = readInput(profileUpdate, readBody(request));
        rejectReadOnlyChanges({ userId: id }, input);
        return profiles.update(commit, request.caller, id, input);
      },
      toResponse: (profile) => ({ status: 200, body: render(profile) }),
    }),
  );
}

function render(profile: Profile): string {
  return renderSingle(JSON.stringify(toWireKeys(profile)));
}
