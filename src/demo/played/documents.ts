/** The GraphQL operations of played people: those of every desk. */

const MESSAGE = 'message { sequence author text operator { id } attachments { isImage } }';
const MESSAGE_FIELDS = MESSAGE.slice('message '.length);

export const DESK_EVENTS = `subscription ($after: ID) { deskEvents(after: $after) {
  position type reason conversationId conversation { state operator { id } } ${MESSAGE} } }`;

/** The position comes first, so that nothing between it and the subscription is missed. */
export const ARRIVE = `query ($websiteId: String) { eventPosition viewer { id pseudo }
  conversations(filter: { websiteId: $websiteId, state: ACTIVE }, first: 100) { nodes { id operator { id } } } }`;

export const IS_CONNECTED = '{ viewer { live { connected } } }';

export const CONVERSATION = `query ($id: ID!) { conversation(id: $id) { state language operator { id }
  visitor { firstname context { page title } } messages(last: 100) ${MESSAGE_FIELDS} } }`;

/** For the manager among the played people: who else could have got the conversation. */
export const ROUTING_DECISIONS = `query ($id: ID!) { routingDecisions(conversationId: $id, first: 100) {
  ranked { operator { id } } } }`;

const buildMutation = (name: string, answer = '') =>
  `mutation ($input: ${name[0]?.toUpperCase()}${name.slice(1)}Input!) { ${name}(input: $input) { ${answer} userErrors { message code } } }`;

export const CONNECT = buildMutation('operatorConnect');
export const BECOME_AVAILABLE = buildMutation('operatorAvailabilityUpdate');
export const OFFER_ACCEPT = buildMutation('offerAccept');
export const OFFER_DECLINE = buildMutation('offerDecline');
export const CONVERSATION_READ = buildMutation('conversationRead');
export const TYPING = buildMutation('typing');
export const MESSAGE_SEND = buildMutation('messageSend', MESSAGE);
export const CONVERSATION_CLOSE = buildMutation('conversationClose');
