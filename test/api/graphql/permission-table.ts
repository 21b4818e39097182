import { isOnPostgres } from '../../support/databases/postgres-database.ts';

/**
 * The callers with a token. Expert, operator and manager belong to the group `ownGroup`; `managerOfAll` is a manager
 * without a group.
 */
export const OPERATOR_VIEWERS = ['expert', 'operator', 'manager', 'managerOfAll', 'admin'] as const;
export type OperatorViewer = (typeof OPERATOR_VIEWERS)[number];

/** The callers with an API key. They are not operators, so they have no target `self`. */
export const KEY_VIEWERS = ['readKey', 'writeKey'] as const;
export type KeyViewer = (typeof KEY_VIEWERS)[number];

export const VIEWERS = [...OPERATOR_VIEWERS, ...KEY_VIEWERS] as const;
export type Viewer = OperatorViewer | KeyViewer;

export function isOperatorViewer(viewer: Viewer): viewer is OperatorViewer {
  return (OPERATOR_VIEWERS as readonly Viewer[]).includes(viewer);
}

/** The targets: the viewer, operators by their group, and a manager and an admin in the group `ownGroup`. */
export const TARGETS = ['self', 'ownGroup', 'subgroup', 'otherGroup', 'noGroup', 'manager', 'admin'] as const;
export type Target = (typeof TARGETS)[number];

/** Permissions do not depend on the database: on PostgreSQL an admin runs each operation, so that its SQL is tested. */
export const TESTED_VIEWERS: readonly Viewer[] = isOnPostgres ? ['admin'] : VIEWERS;
export const TESTED_TARGETS: readonly Target[] = isOnPostgres ? ['self', 'ownGroup'] : TARGETS;

/**
 * `+` allowed, `-` FORBIDDEN, `.` not applicable. One symbol per target, or a single symbol if the operation has no
 * target.
 */
export type Cells = Readonly<Record<Viewer, string>>;

//                              self ownGroup subgroup otherGroup noGroup manager admin
// biome-ignore format: the columns are the table
export const PUBLIC: Cells = {
  expert:                      '+    +        +        +          +       +       +',
  operator:                    '+    +        +        +          +       +       +',
  manager:                     '+    +        +        +          +       +       +',
  managerOfAll:                '+    +        +        +          +       +       +',
  admin:                       '+    +        +        +          +       +       +',
  readKey:                     '.    +        +        +          +       +       +',
  writeKey:                    '.    +        +        +          +       +       +',
};
// biome-ignore format: the columns are the table
const NAMES: Cells = {
  expert:                      '+    -        -        -          -       -       -',
  operator:                    '+    +        +        +          +       +       +',
  manager:                     '+    +        +        +          +       +       +',
  managerOfAll:                '+    +        +        +          +       +       +',
  admin:                       '+    +        +        +          +       +       +',
  readKey:                     '.    +        +        +          +       +       +',
  writeKey:                    '.    +        +        +          +       +       +',
};
// biome-ignore format: the columns are the table
const DETAILS: Cells = {
  expert:                      '+    -        -        -          -       -       -',
  operator:                    '+    -        -        -          -       -       -',
  manager:                     '+    +        +        -          -       -       -',
  managerOfAll:                '+    +        +        +          +       -       -',
  admin:                       '+    +        +        +          +       +       +',
  readKey:                     '.    +        +        +          +       +       +',
  writeKey:                    '.    +        +        +          +       +       +',
};
// biome-ignore format: the columns are the table
const SECRET: Cells = {
  expert:                      '+    -        -        -          -       -       -',
  operator:                    '+    -        -        -          -       -       -',
  manager:                     '+    -        -        -          -       -       -',
  managerOfAll:                '+    -        -        -          -       -       -',
  admin:                       '+    +        +        +          +       +       +',
  readKey:                     '.    -        -        -          -       -       -',
  writeKey:                    '.    +        +        +          +       +       +',
};
/** Allowed on other operators but not on the viewer; admins may do both. */
// biome-ignore format: the columns are the table
const OTHER_OPERATORS: Cells = {
  expert:                      '-    -        -        -          -       -       -',
  operator:                    '-    -        -        -          -       -       -',
  manager:                     '-    +        +        -          -       -       -',
  managerOfAll:                '-    +        +        +          +       -       -',
  admin:                       '+    +        +        +          +       +       +',
  readKey:                     '.    -        -        -          -       -       -',
  writeKey:                    '.    +        +        +          +       +       +',
};
/** Setting a password without the current one: never the viewer's own. */
// biome-ignore format: the columns are the table
const PASSWORD: Cells = {
  ...OTHER_OPERATORS,
  admin:                       '-    +        +        +          +       +       +',
};
// biome-ignore format: the columns are the table
const ADMINS_BY_TARGET: Cells = {
  expert:                      '-    -        -        -          -       -       -',
  operator:                    '-    -        -        -          -       -       -',
  manager:                     '-    -        -        -          -       -       -',
  managerOfAll:                '-    -        -        -          -       -       -',
  admin:                       '+    +        +        +          +       +       +',
  readKey:                     '.    -        -        -          -       -       -',
  writeKey:                    '.    +        +        +          +       +       +',
};
/** Never on the viewer. */
// biome-ignore format: the columns are the table
const OTHERS_BY_ADMINS: Cells = {
  ...ADMINS_BY_TARGET,
  admin:                       '-    +        +        +          +       +       +',
};
/** For the operator and admins. */
// biome-ignore format: the columns are the table
const SELF_AND_ADMINS: Cells = {
  ...SECRET,
  readKey:                     '.    +        +        +          +       +       +',
};
/** A new operator: in that group, or with that role in the group `ownGroup`. */
// biome-ignore format: the columns are the table
const NEW_OPERATORS: Cells = {
  expert:                      '.    -        -        -          -       -       -',
  operator:                    '.    -        -        -          -       -       -',
  manager:                     '.    +        +        -          -       -       -',
  managerOfAll:                '.    +        +        +          +       -       -',
  admin:                       '.    +        +        +          +       +       +',
  readKey:                     '.    -        -        -          -       -       -',
  writeKey:                    '.    +        +        +          +       +       +',
};
/** Conversations by their operator: the viewer's own, and for managers all of their groups. */
// biome-ignore format: the columns are the table
const CONVERSATIONS: Cells = {
  expert:                      '+    -        -        -          -       -       -',
  operator:                    '+    -        -        -          -       -       -',
  manager:                     '+    +        +        -          -       +       +',
  managerOfAll:                '+    +        +        +          +       +       +',
  admin:                       '+    +        +        +          +       +       +',
  readKey:                     '.    +        +        +          +       +       +',
  writeKey:                    '.    +        +        +          +       +       +',
};
// biome-ignore format: the columns are the table
const MANAGED_CONVERSATIONS: Cells = {
  ...CONVERSATIONS,
  expert:                      '-    -        -        -          -       -       -',
  operator:                    '-    -        -        -          -       -       -',
};
/** As conversations, but not for experts: what operators do with those that they have. */
// biome-ignore format: the columns are the table
const WORK: Cells = {
  ...CONVERSATIONS,
  expert:                      '-    -        -        -          -       -       -',
};
/** For the operator only, not even for admins. */
// biome-ignore format: the columns are the table
const OWN: Cells = {
  expert:                      '+    -        -        -          -       -       -',
  operator:                    '+    -        -        -          -       -       -',
  manager:                     '+    -        -        -          -       -       -',
  managerOfAll:                '+    -        -        -          -       -       -',
  admin:                       '+    -        -        -          -       -       -',
  readKey:                     '.    -        -        -          -       -       -',
  writeKey:                    '.    -        -        -          -       -       -',
};

/**
 * Replies of the viewer (`self`), of the groups, of the account (`noGroup`), and of another operator (`manager` and
 * `admin`).
 */
// biome-ignore format: the columns are the table
const CANNED_REPLIES: Cells = {
  expert:                      '+    -        -        -          -       -       -',
  operator:                    '+    -        -        -          -       -       -',
  manager:                     '+    +        +        -          -       -       -',
  managerOfAll:                '+    +        +        +          -       -       -',
  admin:                       '+    +        +        +          +       -       -',
  readKey:                     '.    -        -        -          -       -       -',
  writeKey:                    '.    +        +        +          +       -       -',
};
/** New replies: no one can create one for another operator. */
// biome-ignore format: the columns are the table
const NEW_CANNED_REPLIES: Cells = {
  expert:                      '+    -        -        -          -       .       .',
  operator:                    '+    -        -        -          -       .       .',
  manager:                     '+    +        +        -          -       .       .',
  managerOfAll:                '+    +        +        +          -       .       .',
  admin:                       '+    +        +        +          +       .       .',
  readKey:                     '-    -        -        -          -       .       .',
  writeKey:                    '-    +        +        +          +       .       .',
};

const EVERYONE = Object.fromEntries(VIEWERS.map((viewer) => [viewer, '+'])) as Cells;
const NOT_EXPERTS: Cells = { ...EVERYONE, expert: '-' };
const MANAGERS: Cells = { ...NOT_EXPERTS, operator: '-' };
const ADMINS: Cells = { ...MANAGERS, manager: '-', managerOfAll: '-' };
/** For callers with a token. */
const OPERATORS_ONLY: Cells = { ...EVERYONE, readKey: '-', writeKey: '-' };

/** A read key may not change or read what other callers with these cells may. */
function withoutReadKey(cells: Cells): Cells {
  return { ...cells, readKey: cells.readKey.replaceAll('+', '-') };
}

function cellsFor(type: string, cells: Cells, names: string): [string, Cells][] {
  return names.split(' ').map((name) => [`${type}.${name}`, cells]);
}

/** Cells of changes, which no read key may make. */
function changesFor(type: string, cells: Cells, names: string): [string, Cells][] {
  return cellsFor(type, withoutReadKey(cells), names);
}

function buildTable(...parts: readonly (readonly [string, Cells][])[]): ReadonlyMap<string, Cells> {
  const cells = new Map(parts.flat());
  if (cells.size !== parts.flat().length) throw new Error('A cell is defined twice.');
  return cells;
}

/** Every readable field, by `Type.field`. Fields of operators have a cell per target. */
export const FIELDS = buildTable(
  cellsFor('Query', OPERATORS_ONLY, 'viewer'),
  cellsFor('Query', EVERYONE, 'operator operators group groups skill skills website websites'),
  cellsFor('Query', EVERYONE, 'account conversations eventPosition liveAt'),
  cellsFor('Query', MANAGERS, 'conversation routingDecisions routingPreview liveHistory'),
  cellsFor('Query', EVERYONE, 'tag tags'),
  cellsFor('Query', MANAGERS, 'statistics visitor visitors satisfaction satisfactions'),
  cellsFor('Query', ADMINS, 'apiKeys restUsage'),
  cellsFor('Account', EVERYONE, 'id name lang premiumEnabled autoAccept offerSeconds idleMinutes'),
  cellsFor('Account', EVERYONE, 'attachmentKinds attachmentMaxBytes signOnUrl twoFactorRequired'),
  cellsFor('Account', EVERYONE, 'operatorsMayTake shareVisitorHistory waitingWarningSeconds pauseReasons'),
  cellsFor('Account', ADMINS, 'queueLimit lowestPriorityFirst'),
  cellsFor('RestUsage', ADMINS, 'key what count firstUsedAt lastUsedAt replacement'),
  cellsFor('ApiKey', ADMINS, 'id name prefix access createdAt expiresAt lastUsedAt revokedAt'),
  cellsFor('Query', ADMINS, 'events'),
  cellsFor('Query', ADMINS, 'webhook webhooks webhookDeliveries'),
  cellsFor('Webhook', ADMINS, 'id name url eventTypes state pausedBecause failingSince previousSecretUntil createdAt'),
  cellsFor(
    'WebhookDelivery',
    ADMINS,
    'id eventId type subjectType subjectId body state attempts nextAt createdAt endedAt',
  ),
  cellsFor('WebhookDelivery', ADMINS, 'lastStatus lastError'),
  cellsFor('WebhookDeliveryConnection', ADMINS, 'edges nodes pageInfo totalCount'),
  cellsFor('WebhookDeliveryEdge', ADMINS, 'cursor node'),
  cellsFor('EventPage', ADMINS, 'nodes pageInfo'),
  cellsFor('EventPageInfo', ADMINS, 'hasNextPage hasPreviousPage startCursor endCursor'),
  cellsFor('Event', ADMINS, 'position type subject actor at fields values'),
  cellsFor('EventSubject', ADMINS, 'type id'),
  cellsFor('EventActor', ADMINS, 'type id name via address'),

  cellsFor('Operator', PUBLIC, 'id pseudo live'),
  cellsFor('Operator', NAMES, 'name firstName'),
  cellsFor('Operator', DETAILS, 'email externalId role roles chatEnabled callEnabled videoEnabled chatMaxNumber'),
  cellsFor('Operator', DETAILS, 'chatAndCall chatToVideo chatPriority callPriority videoPriority'),
  cellsFor('Operator', DETAILS, 'languageList languageAdmin group websites skills callConfig profile statistics'),
  cellsFor('Operator', DETAILS, 'twoFactor'),
  cellsFor('TwoFactor', DETAILS, 'isEnabled isRequired enabledAt'),
  cellsFor('TwoFactor', OWN, 'recoveryCodesLeft'),
  cellsFor('Operator', ADMINS_BY_TARGET, 'ssoKey'),
  cellsFor('Operator', OWN, 'preferences'),
  cellsFor('OperatorPreferences', OWN, 'theme density sound notifications singleKeyShortcuts enterSends'),
  cellsFor('Operator', SELF_AND_ADMINS, 'sessions failedLogins'),
  cellsFor('BrowserSession', SELF_AND_ADMINS, 'id createdAt lastUsedAt expiresAt device address isCurrent'),
  cellsFor('FailedLogin', SELF_AND_ADMINS, 'at address device reason'),
  cellsFor('OperatorLive', PUBLIC, 'connected chat call video pauseReason'),
  cellsFor('OperatorLive', DETAILS, 'takenOffline'),
  cellsFor('TakenOffline', DETAILS, 'by at reason'),
  cellsFor('ChannelLive', DETAILS, 'changedBy changedAt changedReason'),
  cellsFor('ChannelLive', PUBLIC, 'enabled available busy slotNumber slotMaxNumber routable blockedBy'),
  cellsFor('CallConfig', DETAILS, 'type askPhoneNumberAtEveryConnection phoneNumber'),
  cellsFor('OperatorProfile', DETAILS, 'status description facebook twitter city country'),
  cellsFor('Statistics', DETAILS, 'conversationNumber answeredNumber firstAnswerSeconds satisfactionRate experience'),
  cellsFor('Statistics', DETAILS, 'waitingSeconds abandonedNumber refusedNumber connectedSeconds'),
  cellsFor('Statistics', DETAILS, 'durationSeconds queuedNumber queuedSeconds simultaneousNumber'),

  cellsFor('Group', EVERYONE, 'id name createdAt parent children operators'),
  cellsFor('Website', EVERYONE, 'id url label currency languageAdmin timezone operators allowedOrigins'),
  cellsFor('Website', EVERYONE, 'openingHours isOpen opensAt widget'),
  cellsFor('Widget', EVERYONE, 'accentColor accentTextColor position channels skill group preChat survey attachments'),
  cellsFor('Widget', EVERYONE, 'whenUnavailable languages texts'),
  cellsFor('WidgetPreChatForm', EVERYONE, 'name email question consent'),
  cellsFor('WidgetText', EVERYONE, 'language key text isDefault'),
  cellsFor('OpeningHours', EVERYONE, 'weekly dates'),
  cellsFor('WeeklyRange', EVERYONE, 'day from to'),
  cellsFor('DateHours', EVERYONE, 'date ranges'),
  cellsFor('TimeRange', EVERYONE, 'from to'),
  cellsFor('Website', EVERYONE, 'waitingAbsenceMinutes activeAbsenceMinutes'),
  cellsFor('Website', withoutReadKey(ADMINS), 'visitorSecret identitySecret'),
  cellsFor('Skill', EVERYONE, 'id name order createdAt parent children operators availability'),
  cellsFor('Skill', MANAGERS, 'statistics'),
  cellsFor('Group', MANAGERS, 'statistics'),
  cellsFor('Website', MANAGERS, 'statistics'),
  cellsFor('SkillAvailability', EVERYONE, 'chat call video'),
  cellsFor('ChannelAvailability', EVERYONE, 'isAvailable operatorsConnected operatorsRoutable freeSlots waiting'),

  cellsFor(
    'Conversation',
    CONVERSATIONS,
    'id channel state website visitor skill group language operator createdAt hasWaited',
  ),
  cellsFor(
    'Conversation',
    CONVERSATIONS,
    'offeredAt offerUntil acceptedAt firstAnswerAt closedAt closedBy closedByOperator closeReason tags messageCount',
  ),
  cellsFor('Conversation', CONVERSATIONS, 'readByVisitorUpTo readByOperatorUpTo unreadCount'),
  cellsFor('Notice', CONVERSATIONS, 'code parameters'),
  cellsFor('NoticeParameter', CONVERSATIONS, 'name value'),
  cellsFor(
    'Conversation',
    CONVERSATIONS,
    'messages queuePosition escalatedFrom satisfaction visitorPresent visitorLeftAt estimatedWaitSeconds',
  ),
  cellsFor('Message', CONVERSATIONS, 'sequence clientId author operator text notice attachments at'),
  cellsFor('Conversation', CONVERSATIONS, 'notes'),
  cellsFor('Note', CONVERSATIONS, 'id conversationId afterSequence operator text clientId at'),
  cellsFor('Attachment', CONVERSATIONS, 'id name size kind isImage width height url expiresAt'),
  cellsFor('ConversationConnection', EVERYONE, 'edges nodes pageInfo totalCount'),
  cellsFor('ConversationEdge', EVERYONE, 'cursor node'),

  cellsFor('Query', MANAGERS, 'transferTargets'),
  cellsFor('TransferTargets', CONVERSATIONS, 'operators groups skills'),
  cellsFor('TransferOperator', CONVERSATIONS, 'operator routable blockedBy slotNumber slotMaxNumber obstacles'),
  cellsFor('TransferGroup', CONVERSATIONS, 'group operatorsConnected operatorsRoutable'),
  cellsFor('TransferSkill', CONVERSATIONS, 'skill operatorsConnected operatorsRoutable'),
  cellsFor('RoutingDecision', WORK, 'id at cause operator forced actor need ranked excluded'),
  // Of another operator.
  cellsFor('RoutingDecision', MANAGED_CONVERSATIONS, 'whyNot'),
  cellsFor('RoutingNeed', WORK, 'channel website skill group language'),
  cellsFor('RankedOperator', WORK, 'operator servedLast share'),
  // Of another operator.
  cellsFor('RankedOperator', MANAGED_CONVERSATIONS, 'priority assignedAt'),
  cellsFor('RoutingExclusion', WORK, 'reason count'),
  cellsFor('Actor', WORK, 'type id name'),
  cellsFor('RoutingPreview', MANAGERS, 'need ranked excluded whyNot'),
  cellsFor('LiveChange', DETAILS, 'at kind reason actor live'),
  cellsFor('LiveChangeConnection', DETAILS, 'edges nodes pageInfo totalCount'),
  cellsFor('LiveChangeEdge', DETAILS, 'cursor node'),
  cellsFor('OperatorMoment', DETAILS, 'operator live'),

  cellsFor('OperatorConnection', EVERYONE, 'edges nodes pageInfo totalCount'),
  cellsFor('OperatorEdge', EVERYONE, 'cursor node'),
  cellsFor('GroupConnection', EVERYONE, 'edges nodes pageInfo totalCount'),
  cellsFor('GroupEdge', EVERYONE, 'cursor node'),
  cellsFor('SkillConnection', EVERYONE, 'edges nodes pageInfo totalCount'),
  cellsFor('SkillEdge', EVERYONE, 'cursor node'),
  cellsFor('WebsiteConnection', EVERYONE, 'edges nodes pageInfo totalCount'),
  cellsFor('WebsiteEdge', EVERYONE, 'cursor node'),
  cellsFor('Query', EVERYONE, 'cannedReplies'),
  cellsFor('CannedReply', EVERYONE, 'id scope group shortcut text language canEdit updatedAt'),
  cellsFor('Tag', EVERYONE, 'id name websites createdAt'),
  cellsFor('TagConnection', EVERYONE, 'edges nodes pageInfo totalCount'),
  cellsFor('TagEdge', EVERYONE, 'cursor node'),
  cellsFor(
    'Visitor',
    MANAGERS,
    'id uniqueId externalId lastname firstname address city zip country phone email browser',
  ),
  cellsFor('Visitor', MANAGERS, 'websites createdAt erasedAt context conversations'),
  cellsFor(
    'VisitorContext',
    MANAGERS,
    'page title referrer language timezone browser fields verifiedDetails updatedAt',
  ),
  cellsFor('VisitorField', MANAGERS, 'name value isVerified'),
  cellsFor('VisitorConnection', MANAGERS, 'edges nodes pageInfo totalCount'),
  cellsFor('VisitorEdge', MANAGERS, 'cursor node'),
  cellsFor('Satisfaction', MANAGERS, 'id noteWelcome noteResolution noteDelay comment createdAt conversationId'),
  cellsFor('Satisfaction', MANAGERS, 'website operator'),
  cellsFor('SatisfactionConnection', MANAGERS, 'edges nodes pageInfo totalCount'),
  cellsFor('SatisfactionEdge', MANAGERS, 'cursor node'),
  cellsFor('Query', NOT_EXPERTS, 'messageLeft messagesLeft'),
  cellsFor('MessageLeft', NOT_EXPERTS, 'id website visitor name email text page createdAt operator doneAt doneBy'),
  cellsFor('MessageLeftConnection', NOT_EXPERTS, 'edges nodes pageInfo totalCount'),
  cellsFor('MessageLeftEdge', NOT_EXPERTS, 'cursor node'),
  cellsFor('PageInfo', EVERYONE, 'hasNextPage hasPreviousPage startCursor endCursor'),

  cellsFor('UserError', withoutReadKey(EVERYONE), 'field message code reason parameters'),
  cellsFor('OperatorsImportReport', withoutReadKey(MANAGERS), 'applied rows'),
  cellsFor('OperatorsImportRow', withoutReadKey(MANAGERS), 'row externalId outcome operatorId userErrors'),
);

/** Every mutation. A viewer who may run it may read every field of its payload. */
export const MUTATIONS = buildTable(
  changesFor('Mutation', DETAILS, 'operatorUpdate operatorAvailabilityUpdate operatorDisconnect operatorProfileUpdate'),
  changesFor('Mutation', DETAILS, 'operatorPasswordChange'),
  changesFor('Mutation', OTHER_OPERATORS, 'operatorDelete operatorsImport'),
  changesFor('Mutation', NEW_OPERATORS, 'operatorCreate'),
  changesFor('Mutation', SECRET, 'operatorSsoKeyRotate sessionEnd sessionsEnd'),
  changesFor('Mutation', OPERATORS_ONLY, 'operatorConnect preferencesUpdate'),
  changesFor('Mutation', PASSWORD, 'operatorInvite'),
  changesFor('Mutation', OPERATORS_ONLY, 'twoFactorStart twoFactorConfirm twoFactorDisable recoveryCodesCreate'),
  changesFor('Mutation', OTHERS_BY_ADMINS, 'twoFactorReset'),
  changesFor('Mutation', ADMINS_BY_TARGET, 'skillOperatorsAdd skillOperatorsRemove'),
  changesFor('Mutation', OWN, 'offerAccept offerDecline messageSend conversationEscalate'),
  changesFor('Mutation', OWN, 'conversationRead typing'),
  changesFor('Mutation', CONVERSATIONS, 'conversationTransfer conversationTag conversationClose noteAdd'),
  changesFor('Mutation', MANAGED_CONVERSATIONS, 'conversationTake'),
  changesFor('Mutation', ADMINS, 'accountUpdate'),
  changesFor('Mutation', ADMINS, 'skillCreate skillUpdate skillDelete groupCreate groupUpdate groupDelete'),
  changesFor('Mutation', ADMINS, 'tagCreate tagUpdate tagDelete'),
  changesFor(
    'Mutation',
    ADMINS,
    'webhookCreate webhookUpdate webhookDelete webhookSecretRotate webhookTest webhookReplay',
  ),
  changesFor(
    'Mutation',
    ADMINS,
    'websiteCreate websiteUpdate websiteDelete websiteSecretRotate apiKeyCreate apiKeyRevoke',
  ),
  changesFor('Mutation', NEW_CANNED_REPLIES, 'cannedReplyCreate cannedRepliesImport'),
  changesFor('Mutation', CANNED_REPLIES, 'cannedReplyUpdate cannedReplyDelete'),
  changesFor('Mutation', ADMINS, 'visitorErase'),
  changesFor('Mutation', WORK, 'visitorUpdate'),
  changesFor('Mutation', NOT_EXPERTS, 'messageLeftResolve messageLeftReopen messageLeftAssign'),
);

/** The fields of operatorUpdate; for roles and groups, with values that a manager may set. */
export const UPDATES = buildTable(
  changesFor('OperatorUpdateInput', DETAILS, 'pseudo languageAdmin callConfig'),
  changesFor(
    'OperatorUpdateInput',
    OTHER_OPERATORS,
    'name firstName email externalId roles groupId websiteIds skillIds languageList',
  ),
  changesFor(
    'OperatorUpdateInput',
    OTHER_OPERATORS,
    'chatEnabled callEnabled videoEnabled chatMaxNumber chatAndCall chatToVideo',
  ),
  changesFor('OperatorUpdateInput', OTHER_OPERATORS, 'chatPriority callPriority videoPriority'),
  changesFor('OperatorUpdateInput', PASSWORD, 'password'),
);

/** Every filter: one on a field that the viewer may not read of every operator is FORBIDDEN. */
export const FILTERS = buildTable(
  cellsFor('OperatorFilter', EVERYONE, 'id groupId websiteId websiteIds skillId connected available routable'),
  cellsFor('OperatorFilter', NOT_EXPERTS, 'name'),
  cellsFor('OperatorFilter', ADMINS, 'email externalId role language'),
  cellsFor('GroupFilter', EVERYONE, 'id name parentId'),
  cellsFor('SkillFilter', EVERYONE, 'id name parentId operatorId'),
  cellsFor('WebsiteFilter', EVERYONE, 'id label url'),
  cellsFor('EventFilter', ADMINS, 'types subjectType subjectId actorType actorId from to'),
  cellsFor(
    'ConversationFilter',
    EVERYONE,
    'id channel state websiteId operatorId visitorId skillId groupId tagId language',
  ),
  cellsFor('ConversationFilter', EVERYONE, 'waiting from to closedFrom closedTo'),
  cellsFor('TagFilter', EVERYONE, 'id name websiteId'),
  cellsFor('VisitorFilter', MANAGERS, 'id uniqueId externalId websiteId'),
  cellsFor('SatisfactionFilter', MANAGERS, 'id websiteId operatorId conversationId from to'),
  cellsFor('MessageLeftFilter', NOT_EXPERTS, 'done websiteId operatorId'),
  cellsFor('StatisticsFilter', MANAGERS, 'websiteIds channel skillId groupId operatorId'),
);

export const SUBSCRIPTIONS = buildTable(
  // What is in the queue depends on the viewer; it is empty for experts, and for operators without `operatorsMayTake`.
  cellsFor('Subscription', EVERYONE, 'operatorLive skillAvailability queue'),
  cellsFor('Subscription', OPERATORS_ONLY, 'deskEvents'),
  cellsFor('Subscription', MANAGERS, 'conversationEvents signals'),
);

/**
 * Types that only a subscription, a mutation or a certain error returns; those who receive them may read all of their
 * fields.
 */
export const SUBSCRIPTION_ONLY: ReadonlySet<string> = new Set([
  ...['DeskEvent', 'Signal', 'QueueSnapshot', 'UserErrorParameter', 'PasswordLink'],
]);

/** The cell of a viewer for a target, or the only cell where there are no targets. */
export function findCell(cells: Cells, viewer: Viewer, target: Target = 'self'): 'allowed' | 'forbidden' | undefined {
  const symbols = cells[viewer].split(/ +/);
  const symbol = symbols.length === 1 ? symbols[0] : symbols[TARGETS.indexOf(target)];
  if (symbol === undefined || !['+', '-', '.'].includes(symbol))
    throw new Error(`The cells of ${viewer} have an invalid or missing symbol.`);
  return symbol === '.' ? undefined : symbol === '+' ? 'allowed' : 'forbidden';
}

export function hasTargets(cells: Cells): boolean {
  return cells.admin.includes(' ');
}
