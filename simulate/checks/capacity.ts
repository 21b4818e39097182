import type { Participant } from '../journal.ts';
import { CHANNELS, type Channel } from '../plan.ts';
import type { Assignment, Timeline } from '../timeline.ts';
import type { Check, Problem } from './check.ts';

/** At no point in the events of their desk do operators have more offers and conversations than their capacity. */
export const capacity: Check = {
  name: 'no operator had more offers and conversations than their maximum',
  findProblems: (timeline) =>
    [...Map.groupBy(timeline.assignments, ({ participant }) => participant)].flatMap(([participant, assignments]) =>
      findOverloads(timeline, participant, assignments),
    ),
};

function findOverloads(timeline: Timeline, participant: Participant, assignments: readonly Assignment[]): Problem[] {
  const operator = timeline.operators.get(participant);
  if (!operator) return [];
  const changes = assignments
    .flatMap((assignment) => [
      { assignment, position: assignment.from, isStart: true },
      { assignment, position: assignment.to, isStart: false },
    ])
    .sort((a, b) => a.position - b.position);
  const counts = { chat: 0, call: 0, video: 0 };
  const problems: Problem[] = [];
  for (const { assignment, position, isStart } of changes) {
    const channel = findChannel(timeline, assignment);
    if (!channel) continue;
    counts[channel] += isStart ? 1 : -1;
    const overload = isStart
      ? describeOverload(channel, counts, operator.chatMaxNumber, operator.chatAndCall)
      : undefined;
    if (overload) {
      const current = CHANNELS.map((name) => `${counts[name]} ${name}`).join(', ');
      const message = `${participant} was assigned conversation ${assignment.conversation} at position ${position}: ${overload} (has ${current})`;
      problems.push({ message, at: assignment.notifiedAt });
    }
  }
  return problems;
}

function findChannel({ conversations }: Timeline, { conversation }: Assignment): Channel | undefined {
  return conversations.get(conversation)?.channel;
}

/** The exceeded limit after a conversation on this channel was added; undefined if it fits. */
function describeOverload(
  channel: Channel,
  { chat, call, video }: Readonly<Record<Channel, number>>,
  chatMaxNumber: number,
  chatAndCall: boolean,
): string | undefined {
  if (channel === 'chat') {
    if (chat > chatMaxNumber) return `more than ${chatMaxNumber} chats`;
    if (video > 0) return 'a chat during a video';
    return call > 0 && !chatAndCall ? 'a chat during a call' : undefined;
  }
  if (call + video > 1) return 'more than one call or video';
  return channel === 'call' && chat > 0 && !chatAndCall ? 'a call during a chat' : undefined;
}
