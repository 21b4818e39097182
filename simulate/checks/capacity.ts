import type { Who } from '../journal.ts';
import { CHANNELS, type Channel } from '../plan.ts';
import type { Holding, Timeline } from '../timeline.ts';
import type { Check, Problem } from './check.ts';

/** An operator never has more offers and conversations than fit, in the order of the events that their desk was told. */
export const capacity: Check = {
  name: 'no operator had more offers and conversations than their maximum',
  problems: (timeline) =>
    [...Map.groupBy(timeline.holdings, ({ who }) => who)].flatMap(([who, holdings]) =>
      overloads(timeline, who, holdings),
    ),
};

function overloads(timeline: Timeline, who: Who, holdings: readonly Holding[]): Problem[] {
  const hired = timeline.hired.get(who);
  if (!hired) return [];
  const changes = holdings
    .flatMap((holding) => [
      { holding, position: holding.from, gained: true },
      { holding, position: holding.to, gained: false },
    ])
    .sort((a, b) => a.position - b.position);
  const held = { chat: 0, call: 0, video: 0 };
  const problems: Problem[] = [];
  for (const { holding, position, gained } of changes) {
    const channel = channelOf(timeline, holding);
    if (!channel) continue;
    held[channel] += gained ? 1 : -1;
    const wrong = gained ? overload(channel, held, hired.chatMaxNumber, hired.chatAndCall) : undefined;
    if (wrong) {
      const has = CHANNELS.map((name) => `${held[name]} ${name}`).join(', ');
      const what = `${who} got conversation ${holding.conversation} at position ${position}: ${wrong} (has ${has})`;
      problems.push({ what, at: holding.toldAt });
    }
  }
  return problems;
}

function channelOf({ started }: Timeline, { conversation }: Holding): Channel | undefined {
  return started.get(conversation)?.channel;
}

/** What does not fit, after one on this channel was added. */
function overload(
  channel: Channel,
  { chat, call, video }: Readonly<Record<Channel, number>>,
  chatMaxNumber: number,
  chatAndCall: boolean,
): string | undefined {
  if (channel === 'chat') {
    if (chat > chatMaxNumber) return `more than ${chatMaxNumber} chats`;
    if (video > 0) return 'a chat beside a video';
    return call > 0 && !chatAndCall ? 'a chat beside a call' : undefined;
  }
  if (call + video > 1) return 'more than one call or video';
  return channel === 'call' && chat > 0 && !chatAndCall ? 'a call beside a chat' : undefined;
}
