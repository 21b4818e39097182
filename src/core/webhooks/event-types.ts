const EVERY_CHANGE = ['created', 'updated', 'deleted'] as const;

function types(thing: string, verbs: readonly string[]): string[] {
  return verbs.map((verb) => `${thing}.${verb}`);
}

/** Every type of event that there is. */
export const EVENT_TYPES: readonly string[] = [
  ...types('operator', [...EVERY_CHANGE, 'connected', 'disconnected', 'availability_updated']),
  ...types('conversation', ['queued', 'offered', 'started', 'transferred', 'closed', 'updated']),
  'message.created',
  'satisfaction.answered',
  'visitor.updated',
  ...['skill', 'group', 'website', 'tag', 'api_key', 'webhook', 'account'].flatMap((thing) =>
    types(thing, EVERY_CHANGE),
  ),
];

/** Sent to one hook alone, when somebody tries it out; it cannot be asked for. */
export const TEST_EVENT = 'webhook.tested';

const KNOWN: ReadonlySet<string> = new Set([...EVENT_TYPES, ...EVENT_TYPES.map((type) => `${thingOf(type)}.*`)]);

/** A type, or all types of a thing: `conversation.*`. */
export function isEventPattern(text: string): boolean {
  return KNOWN.has(text);
}

/** Whether a hook that asked for these gets such an event. Asking for nothing is asking for everything. */
export function isWanted(patterns: readonly string[], type: string): boolean {
  return patterns.length === 0 || patterns.includes(type) || patterns.includes(`${thingOf(type)}.*`);
}

function thingOf(type: string): string {
  return type.slice(0, type.indexOf('.'));
}
