import { graphql, runQuery } from '../../../shared/api/query.ts';
import { type Answer, succeed } from '../../../shared/api/request.ts';

const TODAY = graphql(`
  query DeskToday($from: DateTime!) {
    viewer { statistics(from: $from) { conversationNumber firstAnswerSeconds satisfactionRate } }
  }
`);

/** What the viewer has done in the conversations that were started since a time. */
export interface DayStatistics {
  readonly conversationNumber: number;
  readonly firstAnswerSeconds: number | null;
  /** From 0 to 1. */
  readonly satisfactionRate: number | null;
}

export async function readDayStatistics(from: number): Promise<Answer<DayStatistics | null>> {
  const answer = await runQuery(TODAY, { from: new Date(from).toISOString() });
  return answer.ok ? succeed(answer.value.viewer.statistics) : answer;
}
