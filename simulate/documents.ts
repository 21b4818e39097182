/** The GraphQL operations of simulated participants, for both public endpoints. */

export const OPERATOR_PATH = '/graphql';
export const VISITOR_PATH = '/visitor/graphql';

const MESSAGE = 'message { sequence clientId author text }';
const MESSAGE_WITH_FILES = 'message { sequence clientId author text attachments { id size url } }';
const USER_ERRORS = 'userErrors { message code }';

const buildMutation = (name: string, answer: string) =>
  `mutation ($input: ${name[0]?.toUpperCase()}${name.slice(1)}Input!) { ${name}(input: $input) { ${answer} ${USER_ERRORS} } }`;

export const EVENT_POSITION = '{ eventPosition }';

/** For operators. */
export const DESK_EVENTS = `subscription ($after: ID) { deskEvents(after: $after) { position type at conversationId reason ${MESSAGE_WITH_FILES} } }`;
export const OFFER_ACCEPT = buildMutation('offerAccept', 'conversation { id }');
export const OFFER_DECLINE = buildMutation('offerDecline', 'conversation { id }');
export const MESSAGE_SEND = buildMutation('messageSend', MESSAGE);
export const CONVERSATION_CLOSE = buildMutation('conversationClose', 'conversation { id }');
export const OPERATOR_CONNECT = buildMutation('operatorConnect', 'operator { id }');
export const OPERATOR_DISCONNECT = buildMutation('operatorDisconnect', 'operator { id }');
export const AVAILABILITY_UPDATE = buildMutation('operatorAvailabilityUpdate', 'operator { id }');

/** For visitors. They share messageSend and conversationClose with operators. */
export const CONVERSATION_START = buildMutation('conversationStart', 'conversation { id createdAt }');
export const CONVERSATION_EVENTS = `subscription ($id: ID!, $after: ID) { conversationEvents(id: $id, after: $after) { position type at ${MESSAGE} } }`;
export const SATISFACTION_ANSWER = buildMutation('satisfactionAnswer', 'satisfaction { welcome }');
export const CONVERSATION =
  'query ($id: ID!) { conversation(id: $id) { state closedAt closeReason unreadCount messages { sequence clientId author text attachments { id size } } } }';
export const TYPING = buildMutation('typing', '');
export const CONVERSATION_READ = buildMutation('conversationRead', 'conversation { unreadCount }');

/** For the admin who prepares the account. */
export const DIRECTORY =
  '{ websites(first: 100) { nodes { id label } } skills(first: 100) { nodes { id name } } groups(first: 100) { nodes { id name } } }';
export const WEBSITE_CREATE = buildMutation('websiteCreate', 'website { id }');
export const WEBSITE_UPDATE = buildMutation('websiteUpdate', 'website { id }');
export const SKILL_CREATE = buildMutation('skillCreate', 'skill { id }');
export const GROUP_CREATE = buildMutation('groupCreate', 'group { id }');
export const OPERATORS_IMPORT = buildMutation(
  'operatorsImport',
  'report { applied rows { operatorId userErrors { field message } } }',
);
export const EVENTS =
  'query ($after: ID) { events(first: 100, after: $after) { nodes { position type at subject { type id } values } pageInfo { hasNextPage endCursor } } }';
export const OPERATOR_DELETE = buildMutation('operatorDelete', 'deletedId');
export const ACCOUNT_UPDATE = buildMutation('accountUpdate', 'account { id }');
export const CONVERSATION_COUNT =
  'query ($filter: ConversationFilter) { conversations(filter: $filter, first: 0) { totalCount } }';
