import type { Participant } from '../journal.ts';
import { CHANNELS, type Channel } from '../plan.ts';
import type { Assignment, Timeline } from '../timeline.ts';
import type { Check, Problem } from './check.ts';

/** By the order of events on their desk, operators never have more offers and conversations than their capacity. */
export const capacity: Check = {
  name: 'no operator had more offers and conversations than their maximum',
  findProblems: (timeline) =>
    [...Map.groupBy(timeline.assignments, ({ who }) => who)].flatMap(([who, assignments]) =>
      findOverloads(timeline, who, assignments),
    ),
};

function findOverloads(timeline: Timeline, who: Participant, assignments: readonly Assignment[]): Problem[] {
  const operator = timeline.operators.get(who);
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
    const channel = channelOf(timeline, assignment);
    if (!channel) continue;
    counts[channel] += isStart ? 1 : -1;
    const overload = isStart
      ? describeOverload(channel, counts, operator.chatMaxNumber, operator.chatAndCall)
      : undefined;
    if (overload) {
      const current = CHANNELS.map((name) => `${counts[name]} ${name}`).join(', ');
      const what = `${who} got conversation ${assignment.conversation} at position ${position}: ${overload} (has ${current})`;
      problems.push({ what, at: assignment.notifiedAt });
    }
  }
  return problems;
}

function channelOf({ conversations }: Timeline, { conversation }: Assignment): Channel | undefined {
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
