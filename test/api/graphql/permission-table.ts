/** Who asks. The manager and those below belong to the group `own`; `managerOfAll` is a manager without a group. */
export const VIEWERS = ['expert', 'operator', 'manager', 'managerOfAll', 'admin'] as const;
export type Viewer = (typeof VIEWERS)[number];

/** Who is asked about: oneself, an operator by their group, somebody above operators who is in the own group. */
export const TARGETS = ['self', 'own', 'under', 'other', 'groupless', 'manager', 'admin'] as const;
export type Target = (typeof TARGETS)[number];

/** `+` allowed, `-` FORBIDDEN, `.` there is no such case. One mark for each target, or a single one without targets. */
export type Cells = Readonly<Record<Viewer, string>>;

//                              self own under other groupless manager admin
// biome-ignore format: the columns are the table
export const PUBLIC: Cells = {
  expert:                      '+    +    +    +     +         +       +',
  operator:                    '+    +    +    +     +         +       +',
  manager:                     '+    +    +    +     +         +       +',
  managerOfAll:                '+    +    +    +     +         +       +',
  admin:                       '+    +    +    +     +         +       +',
};
// biome-ignore format: the columns are the table
const NAMES: Cells = {
  expert:                      '+    -    -    -     -         -       -',
  operator:                    '+    +    +    +     +         +       +',
  manager:                     '+    +    +    +     +         +       +',
  managerOfAll:                '+    +    +    +     +         +       +',
  admin:                       '+    +    +    +     +         +       +',
};
// biome-ignore format: the columns are the table
const DETAILS: Cells = {
  expert:                      '+    -    -    -     -         -       -',
  operator:                    '+    -    -    -     -         -       -',
  manager:                     '+    +    +    -     -         -       -',
  managerOfAll:                '+    +    +    +     +         -       -',
  admin:                       '+    +    +    +     +         +       +',
};
// biome-ignore format: the columns are the table
const SECRET: Cells = {
  expert:                      '+    -    -    -     -         -       -',
  operator:                    '+    -    -    -     -         -       -',
  manager:                     '+    -    -    -     -         -       -',
  managerOfAll:                '+    -    -    -     -         -       -',
  admin:                       '+    +    +    +     +         +       +',
};
/** What one does to others and not to oneself; admins do everything. */
// biome-ignore format: the columns are the table
const OTHERS: Cells = {
  expert:                      '-    -    -    -     -         -       -',
  operator:                    '-    -    -    -     -         -       -',
  manager:                     '-    +    +    -     -         -       -',
  managerOfAll:                '-    +    +    +     +         -       -',
  admin:                       '+    +    +    +     +         +       +',
};
/** A password that is set without the present one: never the own. */
// biome-ignore format: the columns are the table
const PASSWORD: Cells = {
  ...OTHERS,
  admin:                       '-    +    +    +     +         +       +',
};
// biome-ignore format: the columns are the table
const BY_ADMINS: Cells = {
  expert:                      '-    -    -    -     -         -       -',
  operator:                    '-    -    -    -     -         -       -',
  manager:                     '-    -    -    -     -         -       -',
  managerOfAll:                '-    -    -    -     -         -       -',
  admin:                       '+    +    +    +     +         +       +',
};
/** A new operator: in that group, or with that role in the own group. */
// biome-ignore format: the columns are the table
const NEW: Cells = {
  expert:                      '.    -    -    -     -         -       -',
  operator:                    '.    -    -    -     -         -       -',
  manager:                     '.    +    +    -     -         -       -',
  managerOfAll:                '.    +    +    +     +         -       -',
  admin:                       '.    +    +    +     +         +       +',
};
/** Conversations by whose they are: the own ones, and for managers those of their groups, whoever has them there. */
// biome-ignore format: the columns are the table
const CONVERSATIONS: Cells = {
  expert:                      '+    -    -    -     -         -       -',
  operator:                    '+    -    -    -     -         -       -',
  manager:                     '+    +    +    -     -         +       +',
  managerOfAll:                '+    +    +    +     +         +       +',
  admin:                       '+    +    +    +     +         +       +',
};
// biome-ignore format: the columns are the table
const MANAGED_CONVERSATIONS: Cells = {
  ...CONVERSATIONS,
  expert:                      '-    -    -    -     -         -       -',
  operator:                    '-    -    -    -     -         -       -',
};
/** What only whoever has a conversation does in it. */
// biome-ignore format: the columns are the table
const OWN_CONVERSATIONS: Cells = {
  expert:                      '+    -    -    -     -         -       -',
  operator:                    '+    -    -    -     -         -       -',
  manager:                     '+    -    -    -     -         -       -',
  managerOfAll:                '+    -    -    -     -         -       -',
  admin:                       '+    -    -    -     -         -       -',
};

const EVERYONE: Cells = { expert: '+', operator: '+', manager: '+', managerOfAll: '+', admin: '+' };
const NOT_EXPERTS: Cells = { ...EVERYONE, expert: '-' };
const MANAGERS: Cells = { ...NOT_EXPERTS, operator: '-' };
const ADMINS: Cells = { ...MANAGERS, manager: '-', managerOfAll: '-' };

function of(type: string, cells: Cells, names: string): [string, Cells][] {
  return names.split(' ').map((name) => [`${type}.${name}`, cells]);
}

function table(...parts: readonly (readonly [string, Cells][])[]): ReadonlyMap<string, Cells> {
  const cells = new Map(parts.flat());
  if (cells.size !== parts.flat().length) throw new Error('A cell is written twice.');
  return cells;
}

/** Every field of every object that can be read, by `Type.field`; those of operators for every target. */
export const FIELDS = table(
  of('Query', EVERYONE, 'viewer operator operators group groups skill skills website websites'),
  of('Query', EVERYONE, 'account conversations eventPosition liveAt'),
  of('Query', MANAGERS, 'conversation routingDecisions routingPreview liveHistory'),
  of('Query', EVERYONE, 'tag tags'),
  of('Query', MANAGERS, 'statistics visitor visitors satisfaction satisfactions'),
  of('Query', ADMINS, 'apiKeys restUsage'),
  of('Account', EVERYONE, 'id name lang premiumEnabled autoAccept offerSeconds'),
  of('Account', ADMINS, 'queueLimit lowestPriorityFirst'),
  of('RestUsage', ADMINS, 'key what count firstUsedAt lastUsedAt replacement'),
  of('ApiKey', ADMINS, 'id name prefix access createdAt expiresAt lastUsedAt revokedAt'),
  of('Query', ADMINS, 'events'),
  of('Query', ADMINS, 'webhook webhooks webhookDeliveries'),
  of('Webhook', ADMINS, 'id name url eventTypes state pausedBecause failingSince previousSecretUntil createdAt'),
  of('WebhookDelivery', ADMINS, 'id eventId type subjectType subjectId body state attempts nextAt createdAt endedAt'),
  of('WebhookDelivery', ADMINS, 'lastStatus lastError'),
  of('WebhookDeliveryConnection', ADMINS, 'edges nodes pageInfo totalCount'),
  of('WebhookDeliveryEdge', ADMINS, 'cursor node'),
  of('EventPage', ADMINS, 'nodes pageInfo'),
  of('EventPageInfo', ADMINS, 'hasNextPage hasPreviousPage startCursor endCursor'),
  of('Event', ADMINS, 'position type subject actor at fields values'),
  of('EventSubject', ADMINS, 'type id'),
  of('EventActor', ADMINS, 'type id name via address'),

  of('Operator', PUBLIC, 'id pseudo live'),
  of('Operator', NAMES, 'name firstName'),
  of('Operator', DETAILS, 'email externalId role roles chatEnabled callEnabled videoEnabled chatMaxNumber'),
  of('Operator', DETAILS, 'chatAndCall chatToVideo chatPriority callPriority videoPriority'),
  of('Operator', DETAILS, 'languageList languageAdmin group websites skills callConfig profile statistics'),
  of('Operator', SECRET, 'ssoKey'),
  of('OperatorLive', PUBLIC, 'connected chat call video'),
  of('ChannelLive', PUBLIC, 'enabled available busy slotNumber slotMaxNumber routable blockedBy'),
  of('CallConfig', DETAILS, 'type askPhoneNumberAtEveryConnection phoneNumber'),
  of('OperatorProfile', DETAILS, 'status description facebook twitter city country'),
  of('Statistics', DETAILS, 'conversationNumber answeredNumber firstAnswerSeconds satisfactionRate experience'),
  of('Statistics', DETAILS, 'waitingSeconds abandonedNumber refusedNumber connectedSeconds'),

  of('Group', EVERYONE, 'id name createdAt parent children operators'),
  of('Website', EVERYONE, 'id url label currency languageAdmin timezone operators allowedOrigins'),
  of('Website', ADMINS, 'visitorSecret'),
  of('Skill', EVERYONE, 'id name order createdAt parent children operators availability'),
  of('Skill', MANAGERS, 'statistics'),
  of('Group', MANAGERS, 'statistics'),
  of('Website', MANAGERS, 'statistics'),
  of('SkillAvailability', EVERYONE, 'chat call video'),
  of('ChannelAvailability', EVERYONE, 'isAvailable operatorsConnected operatorsRoutable freeSlots waiting'),

  of(
    'Conversation',
    CONVERSATIONS,
    'id channel state website visitor skill group language operator createdAt hasWaited',
  ),
  of(
    'Conversation',
    CONVERSATIONS,
    'offeredAt offerUntil acceptedAt firstAnswerAt closedAt closedBy tags messageCount',
  ),
  of('Conversation', CONVERSATIONS, 'messages queuePosition escalatedFrom satisfaction'),
  of('Message', CONVERSATIONS, 'sequence clientId author operator text at'),
  of('ConversationConnection', EVERYONE, 'edges nodes pageInfo totalCount'),
  of('ConversationEdge', EVERYONE, 'cursor node'),

  of('RoutingDecision', MANAGED_CONVERSATIONS, 'id at cause operator forced actor need ranked excluded whyNot'),
  of('RoutingNeed', MANAGED_CONVERSATIONS, 'channel website skill group language'),
  of('RankedOperator', MANAGED_CONVERSATIONS, 'operator servedLast priority share assignedAt'),
  of('RoutingExclusion', MANAGED_CONVERSATIONS, 'reason count'),
  of('Actor', MANAGED_CONVERSATIONS, 'type id name'),
  of('RoutingPreview', MANAGERS, 'need ranked excluded whyNot'),
  of('LiveChange', DETAILS, 'at kind reason actor live'),
  of('LiveChangeConnection', DETAILS, 'edges nodes pageInfo totalCount'),
  of('LiveChangeEdge', DETAILS, 'cursor node'),
  of('OperatorMoment', DETAILS, 'operator live'),

  of('OperatorConnection', EVERYONE, 'edges nodes pageInfo totalCount'),
  of('OperatorEdge', EVERYONE, 'cursor node'),
  of('GroupConnection', EVERYONE, 'edges nodes pageInfo totalCount'),
  of('GroupEdge', EVERYONE, 'cursor node'),
  of('SkillConnection', EVERYONE, 'edges nodes pageInfo totalCount'),
  of('SkillEdge', EVERYONE, 'cursor node'),
  of('WebsiteConnection', EVERYONE, 'edges nodes pageInfo totalCount'),
  of('WebsiteEdge', EVERYONE, 'cursor node'),
  of('Tag', EVERYONE, 'id name websites createdAt'),
  of('TagConnection', EVERYONE, 'edges nodes pageInfo totalCount'),
  of('TagEdge', EVERYONE, 'cursor node'),
  of('Visitor', MANAGERS, 'id uniqueId externalId lastname firstname address city zip country phone email browser'),
  of('Visitor', MANAGERS, 'websites createdAt erasedAt'),
  of('VisitorConnection', MANAGERS, 'edges nodes pageInfo totalCount'),
  of('VisitorEdge', MANAGERS, 'cursor node'),
  of('Satisfaction', MANAGERS, 'id noteWelcome noteResolution noteDelay comment createdAt conversationId'),
  of('Satisfaction', MANAGERS, 'website operator'),
  of('SatisfactionConnection', MANAGERS, 'edges nodes pageInfo totalCount'),
  of('SatisfactionEdge', MANAGERS, 'cursor node'),
  of('PageInfo', EVERYONE, 'hasNextPage hasPreviousPage startCursor endCursor'),

  of('UserError', EVERYONE, 'field message code'),
  of('OperatorsImportReport', MANAGERS, 'applied rows'),
  of('OperatorsImportRow', MANAGERS, 'row externalId outcome operatorId userErrors'),
);

/** Every mutation. Whoever may do it reads every field of its answer. */
export const MUTATIONS = table(
  of('Mutation', DETAILS, 'operatorUpdate operatorAvailabilityUpdate operatorDisconnect operatorProfileUpdate'),
  of('Mutation', DETAILS, 'operatorPasswordChange'),
  of('Mutation', OTHERS, 'operatorDelete operatorsImport'),
  of('Mutation', NEW, 'operatorCreate'),
  of('Mutation', SECRET, 'operatorSsoKeyRotate'),
  of('Mutation', EVERYONE, 'operatorConnect'),
  of('Mutation', BY_ADMINS, 'skillOperatorsAdd skillOperatorsRemove'),
  of('Mutation', OWN_CONVERSATIONS, 'offerAccept offerDecline messageSend conversationEscalate'),
  of('Mutation', CONVERSATIONS, 'conversationTransfer conversationTag conversationClose'),
  of('Mutation', MANAGED_CONVERSATIONS, 'conversationTake'),
  of('Mutation', ADMINS, 'accountUpdate'),
  of('Mutation', ADMINS, 'skillCreate skillUpdate skillDelete groupCreate groupUpdate groupDelete'),
  of('Mutation', ADMINS, 'tagCreate tagUpdate tagDelete'),
  of('Mutation', ADMINS, 'webhookCreate webhookUpdate webhookDelete webhookSecretRotate webhookTest webhookReplay'),
  of('Mutation', ADMINS, 'websiteCreate websiteUpdate websiteDelete websiteSecretRotate apiKeyCreate apiKeyRevoke'),
  of('Mutation', ADMINS, 'visitorErase'),
);

/** What an update of an operator may name; for roles and groups, within the reach of a manager. */
export const UPDATES = table(
  of('OperatorUpdateInput', DETAILS, 'pseudo languageAdmin callConfig'),
  of('OperatorUpdateInput', OTHERS, 'name firstName email externalId roles groupId websiteIds skillIds languageList'),
  of('OperatorUpdateInput', OTHERS, 'chatEnabled callEnabled videoEnabled chatMaxNumber chatAndCall chatToVideo'),
  of('OperatorUpdateInput', OTHERS, 'chatPriority callPriority videoPriority'),
  of('OperatorUpdateInput', PASSWORD, 'password'),
);

/** Every filter: one on a field that the viewer may not read of everybody is FORBIDDEN. */
export const FILTERS = table(
  of('OperatorFilter', EVERYONE, 'id groupId websiteId websiteIds skillId connected available routable'),
  of('OperatorFilter', NOT_EXPERTS, 'name'),
  of('OperatorFilter', ADMINS, 'email externalId role language'),
  of('GroupFilter', EVERYONE, 'id name parentId'),
  of('SkillFilter', EVERYONE, 'id name parentId operatorId'),
  of('WebsiteFilter', EVERYONE, 'id label url'),
  of('EventFilter', ADMINS, 'types subjectType subjectId actorType actorId from to'),
  of('ConversationFilter', EVERYONE, 'id channel state websiteId operatorId visitorId skillId groupId tagId language'),
  of('ConversationFilter', EVERYONE, 'waiting from to'),
  of('TagFilter', EVERYONE, 'id name websiteId'),
  of('VisitorFilter', MANAGERS, 'id uniqueId externalId websiteId'),
  of('SatisfactionFilter', MANAGERS, 'id websiteId operatorId conversationId from to'),
  of('StatisticsFilter', MANAGERS, 'websiteIds channel skillId groupId operatorId'),
);

export const SUBSCRIPTIONS = table(
  of('Subscription', EVERYONE, 'operatorLive skillAvailability deskEvents'),
  of('Subscription', MANAGERS, 'conversationEvents'),
);

/** Objects that come with a subscription alone; whoever has the subscription reads all of their fields. */
export const WATCHED_ONLY: ReadonlySet<string> = new Set(['DeskEvent']);

/** The cell of a viewer for a target; the only one where there are no targets. */
export function cellOf(cells: Cells, viewer: Viewer, target: Target = 'self'): 'allowed' | 'forbidden' | undefined {
  const marks = cells[viewer].split(/ +/);
  const mark = marks.length === 1 ? marks[0] : marks[TARGETS.indexOf(target)];
  if (mark === undefined || !['+', '-', '.'].includes(mark)) throw new Error(`A cell of ${viewer} has no mark.`);
  return mark === '.' ? undefined : mark === '+' ? 'allowed' : 'forbidden';
}

export function hasTargets(cells: Cells): boolean {
  return cells.admin.includes(' ');
}
