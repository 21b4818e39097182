/** The shapes of the lamp, each with a colour and always with a word. */
export type LampState = 'available' | 'busy' | 'pause' | 'offline' | 'reconnecting';
