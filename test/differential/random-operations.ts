import { schema } from '../../src/api/graphql/schema.ts';
import { visitorSchema } from '../../src/api/visitor/schema.ts';
import { documentFor, randomDocument } from './graphql-operations.ts';
import { CONVERSATION_PLACEHOLDER, type ConversationChoice, type Operation } from './operation.ts';
import type { Random } from './random.ts';
import { restDelete, restRead, restWrite } from './rest-operations.ts';
import { randomEmail, randomId, randomLanguage, randomText } from './values.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

/** A random operation. The weights are chosen to reach many different states. */
export function randomOperation(random: Random): Operation {
  return random.pickWeighted(CHOICES)(random);
}

type OperationFactory = (random: Random) => Operation;

const mostlyAdmin = (random: Random) => (random.chance(0.75) ? 1 : random.between(1, 6));
const anyOperator = (random: Random) => (random.chance(0.95) ? random.between(2, 5) : random.between(1, 12));

const deskOperation =
  (name: string, as: (random: Random) => number, input?: (random: Random) => object): OperationFactory =>
  (random) => ({
    kind: 'graphql',
    as: as(random),
    ...documentFor(random, schema, name, input?.(random)),
    ...maybeIdempotencyKey(random),
  });

const visitorOperation =
  (name: string, input?: (random: Random) => object): OperationFactory =>
  (random) => ({
    kind: 'visitor',
    as: random.between(0, 7),
    ...documentFor(random, visitorSchema, name, input?.(random)),
  });

/** An operation of an operator on one of their conversations. */
const ownConversation =
  (name: string, state: ConversationChoice['state'], input: (random: Random) => object): OperationFactory =>
  (random) =>
    ({
      ...deskOperation(name, anyOperator, input)(random),
      target: { state, pick: random.between(0, 9) },
    }) as Operation;

const ownVisitorConversation =
  (name: string, state: ConversationChoice['state'], input: (random: Random) => object): OperationFactory =>
  (random) =>
    ({ ...visitorOperation(name, input)(random), target: { state, pick: random.between(0, 9) } }) as Operation;

const deskQuery: OperationFactory = (random) => ({
  kind: 'graphql',
  as: mostlyAdmin(random),
  ...randomDocument(random, schema.getQueryType() as never, 'query'),
});

const deskMutation: OperationFactory = (random) => {
  const document = randomDocument(random, schema.getMutationType() as never, 'mutation');
  // Keep the API keys of the sequence: without them all further requests would be refused.
  if (document.query.includes('apiKeyRevoke')) document.variables.v0 = { id: String(random.between(4, 7)) };
  return { kind: 'graphql', as: mostlyAdmin(random), ...document, ...maybeIdempotencyKey(random) };
};

/** Without `availability`, because nodes cache it for a second. */
const visitorQuery: OperationFactory = (random) =>
  visitorOperation(random.pick(['visitor', 'conversations', 'conversation', 'eventPosition']))(random);

/** Sometimes an idempotency key, so that requests are repeated and keys are reused for other requests. */
function maybeIdempotencyKey(random: Random): { idempotencyKey?: string } {
  return random.chance(0.06) ? { idempotencyKey: `desk-${random.between(1, 5)}` } : {};
}

const openSession: OperationFactory = (random) => ({
  kind: 'session',
  body: {
    websiteId: random.chance(0.9) ? random.between(1, 2) : random.between(1, 6),
    ...(random.chance(0.4) ? { firstname: randomText(random), city: randomText(random) } : {}),
    ...(random.chance(0.3) ? { language: randomLanguage(random) } : {}),
    ...(random.chance(0.4) ? { externalId: random.pick(['C-1', 'c-1', 'É-2', 'é-2', 'a_b', 'axb']) } : {}),
  },
});

const startInput = (random: Random) => ({
  channel: random.pick(['CHAT', 'CHAT', 'CHAT', 'CALL', 'VIDEO']),
  ...(random.chance(0.3) ? { language: randomLanguage(random) } : {}),
  ...(random.chance(0.5) ? { message: randomText(random) } : {}),
  ...(random.chance(0.3) ? { clientId: `start-${random.between(1, 4)}` } : {}),
  ...(random.chance(0.15) ? { skillId: randomId(random) } : {}),
  ...(random.chance(0.1) ? { groupId: randomId(random) } : {}),
});

const operatorInput = (random: Random) => ({
  name: randomText(random) || 'x',
  email: randomEmail(random),
  roles: random.pick([['OPERATOR'], ['OPERATOR'], ['MANAGER'], ['ADMIN'], ['OPERATOR', 'EXPERT']]),
  ...(random.chance(0.6) ? { websiteIds: [String(random.between(1, 2))] } : {}),
  ...(random.chance(0.5)
    ? { callEnabled: true, videoEnabled: random.chance(0.6), chatAndCall: random.chance(0.5) }
    : {}),
  ...(random.chance(0.4) ? { groupId: randomId(random) } : {}),
  ...(random.chance(0.4) ? { skillIds: [randomId(random)] } : {}),
  ...(random.chance(0.5) ? { chatMaxNumber: random.between(1, 3), chatPriority: random.pick([0, 10]) } : {}),
  ...(random.chance(0.4) ? { languageList: random.pick([['en'], ['fr'], ['en', 'fr']]) } : {}),
});

const idInput = () => ({ id: CONVERSATION_PLACEHOLDER });
const conversationIdInput = () => ({ conversationId: CONVERSATION_PLACEHOLDER });
const messageInput = (random: Random) => ({ ...conversationIdInput(), text: randomText(random) });
const satisfactionInput = (random: Random) => ({
  ...conversationIdInput(),
  ...{ welcome: random.between(1, 5), resolution: random.between(1, 5), delay: random.between(1, 5) },
  ...(random.chance(0.5) ? { comment: randomText(random) } : {}),
});
const transferInput = (random: Random) => ({
  ...idInput(),
  ...random.pick([{ operatorId: String(random.between(2, 5)) }, { skillId: '1' }, { groupId: '1' }]),
  ...(random.chance(0.3) ? { force: true } : {}),
});

const advanceClock: OperationFactory = (random) => ({
  kind: 'advanceClock',
  milliseconds: random.pickWeighted([
    [8, random.between(1, 3 * SECOND)],
    [3, random.between(5 * SECOND, 40 * SECOND)],
    [1.5, random.between(30 * SECOND, 3 * MINUTE)],
    [0.5, random.between(5 * MINUTE, 90 * MINUTE)],
    [0.3, random.between(1, 3) * DAY],
  ]),
});

const CHOICES: readonly (readonly [number, OperationFactory])[] = [
  [12, deskQuery],
  [6, deskMutation],
  [4, visitorQuery],
  [14, restRead],
  [6, restWrite],
  [1, restDelete],
  [4, openSession],
  [9, visitorOperation('conversationStart', startInput)],
  [1, visitorOperation('messageSend')],
  [2, ownVisitorConversation('messageSend', 'active', messageInput)],
  [1, ownVisitorConversation('messageSend', 'queued', messageInput)],
  [1, ownVisitorConversation('conversationClose', 'active', idInput)],
  [1, ownVisitorConversation('conversationClose', 'queued', idInput)],
  [2, ownVisitorConversation('satisfactionAnswer', 'closed', satisfactionInput)],
  [1, visitorOperation('satisfactionAnswer')],
  [0.5, visitorOperation('visitorUpdate')],
  [4, deskOperation('operatorCreate', mostlyAdmin, operatorInput)],
  [6, deskOperation('operatorConnect', anyOperator, (random) => ({ ttlSeconds: random.pick([15, 300, 300, 300]) }))],
  [5, deskOperation('operatorAvailabilityUpdate', anyOperator, () => ({ chat: true, call: true, video: true }))],
  [3, deskOperation('operatorAvailabilityUpdate', anyOperator)],
  [9, ownConversation('offerAccept', 'offered', conversationIdInput)],
  [2, ownConversation('offerDecline', 'offered', conversationIdInput)],
  [1, deskOperation('offerAccept', anyOperator)],
  [5, ownConversation('messageSend', 'active', messageInput)],
  [3, ownConversation('conversationClose', 'active', idInput)],
  [2, ownConversation('conversationTransfer', 'active', transferInput)],
  [1, ownConversation('conversationEscalate', 'active', idInput)],
  [1, ownConversation('conversationTag', 'active', (random) => ({ ...idInput(), tagIds: [randomId(random)] }))],
  [1, deskOperation('conversationTransfer', anyOperator)],
  [
    2,
    deskOperation('conversationTake', mostlyAdmin, (random) => ({
      id: randomId(random),
      operatorId: randomId(random),
      force: random.chance(0.5),
    })),
  ],
  [0.7, deskOperation('tagCreate', mostlyAdmin)],
  [2, deskOperation('statistics', mostlyAdmin)],
  [1.5, deskOperation('liveAt', mostlyAdmin)],
  [1.5, deskOperation('routingDecisions', mostlyAdmin)],
  [2, deskOperation('events', mostlyAdmin)],
  [1, deskOperation('skillCreate', mostlyAdmin)],
  [1, deskOperation('groupCreate', mostlyAdmin)],
  [
    0.7,
    deskOperation('webhookCreate', mostlyAdmin, (random) => ({
      name: randomText(random) || 'x',
      url: 'https://hook.example/',
    })),
  ],
  [7, advanceClock],
  [1, () => ({ kind: 'sweep' })],
  [0.7, () => ({ kind: 'housekeeping' })],
  [1.5, (random) => ({ kind: 'webhooks', statuses: random.pick([[200], [500], [200, 500], [410], [429, 200]]) })],
];
