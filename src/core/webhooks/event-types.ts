const CHANGE_VERBS = ['created', 'updated', 'deleted'] as const;

function listTypes(subject: string, verbs: readonly string[]): string[] {
  return verbs.map((verb) => `${subject}.${verb}`);
}

/** All types. Webhooks can subscribe to each of them; visitors receive only `VISITOR_EVENT_TYPES`. */
export const EVENT_TYPES: readonly string[] = [
  ...listTypes('operator', [...CHANGE_VERBS, 'invited', 'connected', 'disconnected', 'availability_updated']),
  ...listTypes('session', ['created', 'ended']),
  ...listTypes('conversation', ['queued', 'offered', 'started', 'transferred', 'closed', 'updated']),
  'message.created',
  'note.created',
  'satisfaction.answered',
  'visitor.updated',
  ...listTypes('message_left', CHANGE_VERBS),
  ...['skill', 'group', 'website', 'tag', 'canned_reply', 'api_key', 'webhook', 'account'].flatMap((subject) =>
    listTypes(subject, CHANGE_VERBS),
  ),
];

/** A new type is not for visitors, unless it is added here. */
const VISITOR_EVENT_TYPES: ReadonlySet<string> = new Set([
  ...listTypes('conversation', ['queued', 'offered', 'started', 'transferred', 'closed']),
  'message.created',
  'satisfaction.answered',
]);

/** Whether an event is sent to the visitor of the conversation. Of the updates, only an escalation to video is. */
export function isVisibleToVisitors(type: string, changedFields: readonly string[]): boolean {
  if (type === 'conversation.updated') return changedFields.includes('escalatedTo');
  return VISITOR_EVENT_TYPES.has(type);
}

/** Sent to one webhook only, to test it; webhooks cannot subscribe to it. */
export const TEST_EVENT = 'webhook.tested';

const PATTERNS: ReadonlySet<string> = new Set([...EVENT_TYPES, ...EVENT_TYPES.map((type) => `${getSubject(type)}.*`)]);

/** Whether this is an event type, or stands for all types of a subject: `conversation.*`. */
export function isEventPattern(text: string): boolean {
  return PATTERNS.has(text);
}

/** An empty list subscribes to every event type. */
export function isSubscribedTo(patterns: readonly string[], type: string): boolean {
  return patterns.length === 0 || patterns.includes(type) || patterns.includes(`${getSubject(type)}.*`);
}

function getSubject(type: string): string {
  return type.slice(0, type.indexOf('.'));
}
