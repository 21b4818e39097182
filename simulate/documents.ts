/** The operations that simulated people use, of the two public GraphQL interfaces. */

export const OPERATOR_PATH = '/graphql';
export const VISITOR_PATH = '/visitor/graphql';

const MESSAGE = 'message { sequence clientId author text }';
const MISTAKES = 'userErrors { message code }';

const mutation = (name: string, answer: string) =>
  `mutation ($input: ${name[0]?.toUpperCase()}${name.slice(1)}Input!) { ${name}(input: $input) { ${answer} ${MISTAKES} } }`;

export const EVENT_POSITION = '{ eventPosition }';

/** Of operators. */
export const DESK_EVENTS = `subscription ($after: ID) { deskEvents(after: $after) { position type at conversationId reason ${MESSAGE} } }`;
export const OFFER_ACCEPT = mutation('offerAccept', 'conversation { id }');
export const OFFER_DECLINE = mutation('offerDecline', 'conversation { id }');
export const MESSAGE_SEND = mutation('messageSend', MESSAGE);
export const CONVERSATION_CLOSE = mutation('conversationClose', 'conversation { id }');
export const OPERATOR_CONNECT = mutation('operatorConnect', 'operator { id }');
export const OPERATOR_DISCONNECT = mutation('operatorDisconnect', 'operator { id }');
export const AVAILABILITY_UPDATE = mutation('operatorAvailabilityUpdate', 'operator { id }');

/** Of visitors. Messages and the close are asked for in the same words as by operators. */
export const CONVERSATION_START = mutation('conversationStart', 'conversation { id createdAt }');
export const CONVERSATION_EVENTS = `subscription ($id: ID!, $after: ID) { conversationEvents(id: $id, after: $after) { position type at ${MESSAGE} } }`;
export const SATISFACTION_ANSWER = mutation('satisfactionAnswer', 'satisfaction { welcome }');
export const CONVERSATION =
  'query ($id: ID!) { conversation(id: $id) { state messages { sequence clientId author text } } }';

/** Of the admin who sets the stage. */
export const DIRECTORY =
  '{ websites(first: 100) { nodes { id label } } skills(first: 100) { nodes { id name } } groups(first: 100) { nodes { id name } } }';
export const WEBSITE_CREATE = mutation('websiteCreate', 'website { id }');
export const SKILL_CREATE = mutation('skillCreate', 'skill { id }');
export const GROUP_CREATE = mutation('groupCreate', 'group { id }');
export const OPERATORS_IMPORT = mutation(
  'operatorsImport',
  'report { applied rows { operatorId userErrors { field message } } }',
);
export const OPERATOR_DELETE = mutation('operatorDelete', 'deletedId');
export const ACCOUNT_UPDATE = mutation('accountUpdate', 'account { id }');
export const CONVERSATION_COUNT =
  'query ($filter: ConversationFilter) { conversations(filter: $filter, first: 0) { totalCount } }';
