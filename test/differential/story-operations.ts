import { schema } from '../../src/api/graphql/schema.ts';
import { visitorSchema } from '../../src/api/visitor/schema.ts';
import type { Dice } from './dice.ts';
import { documentOf, someDocument } from './graphql-operations.ts';
import { type About, CONVERSATION, type Operation } from './operation.ts';
import { restDelete, restRead, restWrite } from './rest-operations.ts';
import { someEmail, someId, someLanguage, someText } from './values.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

/** What an installation is used for, each as often as it brings out the most. */
export function someOperation(dice: Dice): Operation {
  return dice.weighted(CHOICES)(dice);
}

type Choice = (dice: Dice) => Operation;

const asAdmin = (dice: Dice) => (dice.chance(0.75) ? 1 : dice.between(1, 6));
const asAnybody = (dice: Dice) => (dice.chance(0.95) ? dice.between(2, 5) : dice.between(1, 12));

const desk =
  (name: string, as: (dice: Dice) => number, input?: (dice: Dice) => object): Choice =>
  (dice) => ({ kind: 'graphql', as: as(dice), ...documentOf(dice, schema, name, input?.(dice)), ...twice(dice) });

const page =
  (name: string, input?: (dice: Dice) => object): Choice =>
  (dice) => ({ kind: 'visitor', as: dice.between(0, 7), ...documentOf(dice, visitorSchema, name, input?.(dice)) });

/** Somebody does something with a conversation that they have. */
const own =
  (name: string, state: About['state'], input: (dice: Dice) => object): Choice =>
  (dice) =>
    ({
      ...desk(name, asAnybody, input)(dice),
      about: { state, pick: dice.between(0, 9) },
    }) as Operation;

const ownOfVisitor =
  (name: string, state: About['state'], input: (dice: Dice) => object): Choice =>
  (dice) =>
    ({ ...page(name, input)(dice), about: { state, pick: dice.between(0, 9) } }) as Operation;

const readDesk: Choice = (dice) => ({
  kind: 'graphql',
  as: asAdmin(dice),
  ...someDocument(dice, schema.getQueryType() as never, 'query'),
});

const changeDesk: Choice = (dice) => {
  const document = someDocument(dice, schema.getMutationType() as never, 'mutation');
  // The keys that the sequence itself uses stay: without them the rest of it would only be refused.
  if (document.query.includes('apiKeyRevoke')) document.variables.v0 = { id: String(dice.between(4, 7)) };
  return { kind: 'graphql', as: asAdmin(dice), ...document, ...twice(dice) };
};

/** Whether anybody is free is left out: an answer to that is shown for a second to all who ask. */
const readPage: Choice = (dice) => page(dice.pick(['visitor', 'conversations', 'conversation', 'eventPosition']))(dice);

/** Some requests are sent again, and some keys are used for something else. */
function twice(dice: Dice): { idempotencyKey?: string } {
  return dice.chance(0.06) ? { idempotencyKey: `desk-${dice.between(1, 5)}` } : {};
}

const session: Choice = (dice) => ({
  kind: 'session',
  body: {
    websiteId: dice.chance(0.9) ? dice.between(1, 2) : dice.between(1, 6),
    ...(dice.chance(0.4) ? { firstname: someText(dice), city: someText(dice) } : {}),
    ...(dice.chance(0.3) ? { language: someLanguage(dice) } : {}),
    ...(dice.chance(0.4) ? { externalId: dice.pick(['C-1', 'c-1', 'É-2', 'é-2', 'a_b', 'axb']) } : {}),
  },
});

const start = (dice: Dice) => ({
  channel: dice.pick(['CHAT', 'CHAT', 'CHAT', 'CALL', 'VIDEO']),
  ...(dice.chance(0.3) ? { language: someLanguage(dice) } : {}),
  ...(dice.chance(0.5) ? { message: someText(dice) } : {}),
  ...(dice.chance(0.3) ? { clientId: `start-${dice.between(1, 4)}` } : {}),
  ...(dice.chance(0.15) ? { skillId: someId(dice) } : {}),
  ...(dice.chance(0.1) ? { groupId: someId(dice) } : {}),
});

const operator = (dice: Dice) => ({
  name: someText(dice) || 'x',
  email: someEmail(dice),
  roles: dice.pick([['OPERATOR'], ['OPERATOR'], ['MANAGER'], ['ADMIN'], ['OPERATOR', 'EXPERT']]),
  ...(dice.chance(0.6) ? { websiteIds: [String(dice.between(1, 2))] } : {}),
  ...(dice.chance(0.5) ? { callEnabled: true, videoEnabled: dice.chance(0.6), chatAndCall: dice.chance(0.5) } : {}),
  ...(dice.chance(0.4) ? { groupId: someId(dice) } : {}),
  ...(dice.chance(0.4) ? { skillIds: [someId(dice)] } : {}),
  ...(dice.chance(0.5) ? { chatMaxNumber: dice.between(1, 3), chatPriority: dice.pick([0, 10]) } : {}),
  ...(dice.chance(0.4) ? { languageList: dice.pick([['en'], ['fr'], ['en', 'fr']]) } : {}),
});

const named = () => ({ id: CONVERSATION });
const ofConversation = () => ({ conversationId: CONVERSATION });
const say = (dice: Dice) => ({ ...ofConversation(), text: someText(dice) });
const notes = (dice: Dice) => ({
  ...ofConversation(),
  ...{ welcome: dice.between(1, 5), resolution: dice.between(1, 5), delay: dice.between(1, 5) },
  ...(dice.chance(0.5) ? { comment: someText(dice) } : {}),
});
const target = (dice: Dice) => ({
  ...named(),
  ...dice.pick([{ operatorId: String(dice.between(2, 5)) }, { skillId: '1' }, { groupId: '1' }]),
  ...(dice.chance(0.3) ? { force: true } : {}),
});

const pass: Choice = (dice) => ({
  kind: 'pass',
  milliseconds: dice.weighted([
    [8, dice.between(1, 3 * SECOND)],
    [3, dice.between(5 * SECOND, 40 * SECOND)],
    [1.5, dice.between(30 * SECOND, 3 * MINUTE)],
    [0.5, dice.between(5 * MINUTE, 90 * MINUTE)],
    [0.3, dice.between(1, 3) * DAY],
  ]),
});

const CHOICES: readonly (readonly [number, Choice])[] = [
  [12, readDesk],
  [6, changeDesk],
  [4, readPage],
  [14, restRead],
  [6, restWrite],
  [1, restDelete],
  [4, session],
  [9, page('conversationStart', start)],
  [1, page('messageSend')],
  [2, ownOfVisitor('messageSend', 'active', say)],
  [1, ownOfVisitor('messageSend', 'queued', say)],
  [1, ownOfVisitor('conversationClose', 'active', named)],
  [1, ownOfVisitor('conversationClose', 'queued', named)],
  [2, ownOfVisitor('satisfactionAnswer', 'closed', notes)],
  [1, page('satisfactionAnswer')],
  [0.5, page('visitorUpdate')],
  [4, desk('operatorCreate', asAdmin, operator)],
  [6, desk('operatorConnect', asAnybody, (dice) => ({ ttlSeconds: dice.pick([15, 300, 300, 300]) }))],
  [5, desk('operatorAvailabilityUpdate', asAnybody, () => ({ chat: true, call: true, video: true }))],
  [3, desk('operatorAvailabilityUpdate', asAnybody)],
  [9, own('offerAccept', 'offered', ofConversation)],
  [2, own('offerDecline', 'offered', ofConversation)],
  [1, desk('offerAccept', asAnybody)],
  [5, own('messageSend', 'active', say)],
  [3, own('conversationClose', 'active', named)],
  [2, own('conversationTransfer', 'active', target)],
  [1, own('conversationEscalate', 'active', named)],
  [1, own('conversationTag', 'active', (dice) => ({ ...named(), tagIds: [someId(dice)] }))],
  [1, desk('conversationTransfer', asAnybody)],
  [
    2,
    desk('conversationTake', asAdmin, (dice) => ({
      id: someId(dice),
      operatorId: someId(dice),
      force: dice.chance(0.5),
    })),
  ],
  [0.7, desk('tagCreate', asAdmin)],
  [2, desk('statistics', asAdmin)],
  [1.5, desk('liveAt', asAdmin)],
  [1.5, desk('routingDecisions', asAdmin)],
  [2, desk('events', asAdmin)],
  [1, desk('skillCreate', asAdmin)],
  [1, desk('groupCreate', asAdmin)],
  [0.7, desk('webhookCreate', asAdmin, (dice) => ({ name: someText(dice) || 'x', url: 'https://hook.example/' }))],
  [7, pass],
  [1, () => ({ kind: 'sweep' })],
  [0.7, () => ({ kind: 'housekeeping' })],
  [1.5, (dice) => ({ kind: 'webhooks', statuses: dice.pick([[200], [500], [200, 500], [410], [429, 200]]) })],
];
