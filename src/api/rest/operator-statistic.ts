import type { FastifyInstance } from 'fastify';
import type { Statistics } from '../../core/conversations/statistics.ts';
import { unknownId } from '../../core/errors.ts';
import type { OperatorService } from '../../core/operators/operator-service.ts';
import { sendJson, single } from './envelope.ts';
import { pathId } from './resource.ts';

export function registerOperatorStatistic(
  app: FastifyInstance,
  operators: OperatorService,
  statistics: Statistics,
): void {
  app.get('/operator/:id/statistic', async (request, reply) => {
    const id = pathId(request, 'operator');
    const { accountId } = request.caller;
    if (!(await operators.stamp(accountId, id))) throw unknownId('operator', id);
    const [figures] = await statistics.of(accountId, { subject: 'operatorId', ids: [id] });
    const data = {
      id,
      conversation_number: figures?.conversationNumber ?? 0,
      satisfaction_global_rate: figures?.satisfactionRate ?? 0,
      experience: figures?.experience ?? 0,
    };
    return sendJson(reply, 200, single(JSON.stringify(data)));
  });
}
