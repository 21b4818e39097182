/** The callers. The manager and those below belong to the group `own`; `managerOfAll` is a manager without a group. */
export const VIEWERS = ['expert', 'operator', 'manager', 'managerOfAll', 'admin'] as const;
export type Viewer = (typeof VIEWERS)[number];

/** The operators in question: the viewer, operators by their group, and a manager and an admin of the group `own`. */
export const TARGETS = ['self', 'own', 'under', 'other', 'groupless', 'manager', 'admin'] as const;
export type Target = (typeof TARGETS)[number];

/** `+` allowed, `-` FORBIDDEN, `.` not applicable. One mark for each target, or a single one without targets. */
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
/** For others but not for oneself; admins may do both. */
// biome-ignore format: the columns are the table
const OTHERS: Cells = {
  expert:                      '-    -    -    -     -         -       -',
  operator:                    '-    -    -    -     -         -       -',
  manager:                     '-    +    +    -     -         -       -',
  managerOfAll:                '-    +    +    +     +         -       -',
  admin:                       '+    +    +    +     +         +       +',
};
/** Setting a password without the current one: never one's own. */
// biome-ignore format: the columns are the table
const PASSWORD: Cells = {
  ...OTHERS,
  admin:                       '-    +    +    +     +         +       +',
};
// biome-ignore format: the columns are the table
const ADMINS_BY_TARGET: Cells = {
  expert:                      '-    -    -    -     -         -       -',
  operator:                    '-    -    -    -     -         -       -',
  manager:                     '-    -    -    -     -         -       -',
  managerOfAll:                '-    -    -    -     -         -       -',
  admin:                       '+    +    +    +     +         +       +',
};
/** A new operator: in that group, or with that role in the group `own`. */
// biome-ignore format: the columns are the table
const NEW: Cells = {
  expert:                      '.    -    -    -     -         -       -',
  operator:                    '.    -    -    -     -         -       -',
  manager:                     '.    +    +    -     -         -       -',
  managerOfAll:                '.    +    +    +     +         -       -',
  admin:                       '.    +    +    +     +         +       +',
};
/** Conversations by their operator: the viewer's own, and for managers all of their groups. */
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
/** For the operator of the conversation only. */
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

function fields(type: string, cells: Cells, names: string): [string, Cells][] {
  return names.split(' ').map((name) => [`${type}.${name}`, cells]);
}

function table(...parts: readonly (readonly [string, Cells][])[]): ReadonlyMap<string, Cells> {
  const cells = new Map(parts.flat());
  if (cells.size !== parts.flat().length) throw new Error('A cell is defined twice.');
  return cells;
}

/** Every field of every object that can be read, by `Type.field`; those of operators for every target. */
export const FIELDS = table(
  fields('Query', EVERYONE, 'viewer operator operators group groups skill skills website websites'),
  fields('Query', EVERYONE, 'account conversations eventPosition liveAt'),
  fields('Query', MANAGERS, 'conversation routingDecisions routingPreview liveHistory'),
  fields('Query', EVERYONE, 'tag tags'),
  fields('Query', MANAGERS, 'statistics visitor visitors satisfaction satisfactions'),
  fields('Query', ADMINS, 'apiKeys restUsage'),
  fields('Account', EVERYONE, 'id name lang premiumEnabled autoAccept offerSeconds'),
  fields('Account', ADMINS, 'queueLimit lowestPriorityFirst'),
  fields('RestUsage', ADMINS, 'key what count firstUsedAt lastUsedAt replacement'),
  fields('ApiKey', ADMINS, 'id name prefix access createdAt expiresAt lastUsedAt revokedAt'),
  fields('Query', ADMINS, 'events'),
  fields('Query', ADMINS, 'webhook webhooks webhookDeliveries'),
  fields('Webhook', ADMINS, 'id name url eventTypes state pausedBecause failingSince previousSecretUntil createdAt'),
  fields(
    'WebhookDelivery',
    ADMINS,
    'id eventId type subjectType subjectId body state attempts nextAt createdAt endedAt',
  ),
  fields('WebhookDelivery', ADMINS, 'lastStatus lastError'),
  fields('WebhookDeliveryConnection', ADMINS, 'edges nodes pageInfo totalCount'),
  fields('WebhookDeliveryEdge', ADMINS, 'cursor node'),
  fields('EventPage', ADMINS, 'nodes pageInfo'),
  fields('EventPageInfo', ADMINS, 'hasNextPage hasPreviousPage startCursor endCursor'),
  fields('Event', ADMINS, 'position type subject actor at fields values'),
  fields('EventSubject', ADMINS, 'type id'),
  fields('EventActor', ADMINS, 'type id name via address'),

  fields('Operator', PUBLIC, 'id pseudo live'),
  fields('Operator', NAMES, 'name firstName'),
  fields('Operator', DETAILS, 'email externalId role roles chatEnabled callEnabled videoEnabled chatMaxNumber'),
  fields('Operator', DETAILS, 'chatAndCall chatToVideo chatPriority callPriority videoPriority'),
  fields('Operator', DETAILS, 'languageList languageAdmin group websites skills callConfig profile statistics'),
  fields('Operator', SECRET, 'ssoKey'),
  fields('OperatorLive', PUBLIC, 'connected chat call video'),
  fields('ChannelLive', PUBLIC, 'enabled available busy slotNumber slotMaxNumber routable blockedBy'),
  fields('CallConfig', DETAILS, 'type askPhoneNumberAtEveryConnection phoneNumber'),
  fields('OperatorProfile', DETAILS, 'status description facebook twitter city country'),
  fields('Statistics', DETAILS, 'conversationNumber answeredNumber firstAnswerSeconds satisfactionRate experience'),
  fields('Statistics', DETAILS, 'waitingSeconds abandonedNumber refusedNumber connectedSeconds'),

  fields('Group', EVERYONE, 'id name createdAt parent children operators'),
  fields('Website', EVERYONE, 'id url label currency languageAdmin timezone operators allowedOrigins'),
  fields('Website', ADMINS, 'visitorSecret'),
  fields('Skill', EVERYONE, 'id name order createdAt parent children operators availability'),
  fields('Skill', MANAGERS, 'statistics'),
  fields('Group', MANAGERS, 'statistics'),
  fields('Website', MANAGERS, 'statistics'),
  fields('SkillAvailability', EVERYONE, 'chat call video'),
  fields('ChannelAvailability', EVERYONE, 'isAvailable operatorsConnected operatorsRoutable freeSlots waiting'),

  fields(
    'Conversation',
    CONVERSATIONS,
    'id channel state website visitor skill group language operator createdAt hasWaited',
  ),
  fields(
    'Conversation',
    CONVERSATIONS,
    'offeredAt offerUntil acceptedAt firstAnswerAt closedAt closedBy tags messageCount',
  ),
  fields('Conversation', CONVERSATIONS, 'messages queuePosition escalatedFrom satisfaction'),
  fields('Message', CONVERSATIONS, 'sequence clientId author operator text at'),
  fields('ConversationConnection', EVERYONE, 'edges nodes pageInfo totalCount'),
  fields('ConversationEdge', EVERYONE, 'cursor node'),

  fields('RoutingDecision', MANAGED_CONVERSATIONS, 'id at cause operator forced actor need ranked excluded whyNot'),
  fields('RoutingNeed', MANAGED_CONVERSATIONS, 'channel website skill group language'),
  fields('RankedOperator', MANAGED_CONVERSATIONS, 'operator servedLast priority share assignedAt'),
  fields('RoutingExclusion', MANAGED_CONVERSATIONS, 'reason count'),
  fields('Actor', MANAGED_CONVERSATIONS, 'type id name'),
  fields('RoutingPreview', MANAGERS, 'need ranked excluded whyNot'),
  fields('LiveChange', DETAILS, 'at kind reason actor live'),
  fields('LiveChangeConnection', DETAILS, 'edges nodes pageInfo totalCount'),
  fields('LiveChangeEdge', DETAILS, 'cursor node'),
  fields('OperatorMoment', DETAILS, 'operator live'),

  fields('OperatorConnection', EVERYONE, 'edges nodes pageInfo totalCount'),
  fields('OperatorEdge', EVERYONE, 'cursor node'),
  fields('GroupConnection', EVERYONE, 'edges nodes pageInfo totalCount'),
  fields('GroupEdge', EVERYONE, 'cursor node'),
  fields('SkillConnection', EVERYONE, 'edges nodes pageInfo totalCount'),
  fields('SkillEdge', EVERYONE, 'cursor node'),
  fields('WebsiteConnection', EVERYONE, 'edges nodes pageInfo totalCount'),
  fields('WebsiteEdge', EVERYONE, 'cursor node'),
  fields('Tag', EVERYONE, 'id name websites createdAt'),
  fields('TagConnection', EVERYONE, 'edges nodes pageInfo totalCount'),
  fields('TagEdge', EVERYONE, 'cursor node'),
  fields('Visitor', MANAGERS, 'id uniqueId externalId lastname firstname address city zip country phone email browser'),
  fields('Visitor', MANAGERS, 'websites createdAt erasedAt'),
  fields('VisitorConnection', MANAGERS, 'edges nodes pageInfo totalCount'),
  fields('VisitorEdge', MANAGERS, 'cursor node'),
  fields('Satisfaction', MANAGERS, 'id noteWelcome noteResolution noteDelay comment createdAt conversationId'),
  fields('Satisfaction', MANAGERS, 'website operator'),
  fields('SatisfactionConnection', MANAGERS, 'edges nodes pageInfo totalCount'),
  fields('SatisfactionEdge', MANAGERS, 'cursor node'),
  fields('PageInfo', EVERYONE, 'hasNextPage hasPreviousPage startCursor endCursor'),

  fields('UserError', EVERYONE, 'field message code'),
  fields('OperatorsImportReport', MANAGERS, 'applied rows'),
  fields('OperatorsImportRow', MANAGERS, 'row externalId outcome operatorId userErrors'),
);

/** Every mutation. A viewer who may run it may read every field of its payload. */
export const MUTATIONS = table(
  fields('Mutation', DETAILS, 'operatorUpdate operatorAvailabilityUpdate operatorDisconnect operatorProfileUpdate'),
  fields('Mutation', DETAILS, 'operatorPasswordChange'),
  fields('Mutation', OTHERS, 'operatorDelete operatorsImport'),
  fields('Mutation', NEW, 'operatorCreate'),
  fields('Mutation', SECRET, 'operatorSsoKeyRotate'),
  fields('Mutation', EVERYONE, 'operatorConnect'),
  fields('Mutation', ADMINS_BY_TARGET, 'skillOperatorsAdd skillOperatorsRemove'),
  fields('Mutation', OWN_CONVERSATIONS, 'offerAccept offerDecline messageSend conversationEscalate'),
  fields('Mutation', CONVERSATIONS, 'conversationTransfer conversationTag conversationClose'),
  fields('Mutation', MANAGED_CONVERSATIONS, 'conversationTake'),
  fields('Mutation', ADMINS, 'accountUpdate'),
  fields('Mutation', ADMINS, 'skillCreate skillUpdate skillDelete groupCreate groupUpdate groupDelete'),
  fields('Mutation', ADMINS, 'tagCreate tagUpdate tagDelete'),
  fields('Mutation', ADMINS, 'webhookCreate webhookUpdate webhookDelete webhookSecretRotate webhookTest webhookReplay'),
  fields('Mutation', ADMINS, 'websiteCreate websiteUpdate websiteDelete websiteSecretRotate apiKeyCreate apiKeyRevoke'),
  fields('Mutation', ADMINS, 'visitorErase'),
);

/** The fields of operatorUpdate; for roles and groups, with values that a manager may set. */
export const UPDATES = table(
  fields('OperatorUpdateInput', DETAILS, 'pseudo languageAdmin callConfig'),
  fields(
    'OperatorUpdateInput',
    OTHERS,
    'name firstName email externalId roles groupId websiteIds skillIds languageList',
  ),
  fields('OperatorUpdateInput', OTHERS, 'chatEnabled callEnabled videoEnabled chatMaxNumber chatAndCall chatToVideo'),
  fields('OperatorUpdateInput', OTHERS, 'chatPriority callPriority videoPriority'),
  fields('OperatorUpdateInput', PASSWORD, 'password'),
);

/** Every filter: one on a field that the viewer may not read of every operator is FORBIDDEN. */
export const FILTERS = table(
  fields('OperatorFilter', EVERYONE, 'id groupId websiteId websiteIds skillId connected available routable'),
  fields('OperatorFilter', NOT_EXPERTS, 'name'),
  fields('OperatorFilter', ADMINS, 'email externalId role language'),
  fields('GroupFilter', EVERYONE, 'id name parentId'),
  fields('SkillFilter', EVERYONE, 'id name parentId operatorId'),
  fields('WebsiteFilter', EVERYONE, 'id label url'),
  fields('EventFilter', ADMINS, 'types subjectType subjectId actorType actorId from to'),
  fields(
    'ConversationFilter',
    EVERYONE,
    'id channel state websiteId operatorId visitorId skillId groupId tagId language',
  ),
  fields('ConversationFilter', EVERYONE, 'waiting from to'),
  fields('TagFilter', EVERYONE, 'id name websiteId'),
  fields('VisitorFilter', MANAGERS, 'id uniqueId externalId websiteId'),
  fields('SatisfactionFilter', MANAGERS, 'id websiteId operatorId conversationId from to'),
  fields('StatisticsFilter', MANAGERS, 'websiteIds channel skillId groupId operatorId'),
);

export const SUBSCRIPTIONS = table(
  fields('Subscription', EVERYONE, 'operatorLive skillAvailability deskEvents'),
  fields('Subscription', MANAGERS, 'conversationEvents'),
);

/** Types that only a subscription returns; its subscribers may read all of their fields. */
export const SUBSCRIPTION_ONLY: ReadonlySet<string> = new Set(['DeskEvent']);

/** The cell of a viewer for a target, or the only cell where there are no targets. */
export function cellOf(cells: Cells, viewer: Viewer, target: Target = 'self'): 'allowed' | 'forbidden' | undefined {
  const marks = cells[viewer].split(/ +/);
  const mark = marks.length === 1 ? marks[0] : marks[TARGETS.indexOf(target)];
  if (mark === undefined || !['+', '-', '.'].includes(mark)) throw new Error(`A cell of ${viewer} has no mark.`);
  return mark === '.' ? undefined : mark === '+' ? 'allowed' : 'forbidden';
}

export function hasTargets(cells: Cells): boolean {
  return cells.admin.includes(' ');
}
