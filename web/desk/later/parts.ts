import { createLaterPart } from '../../shared/page/later-part.ts';

/**
 * What the desk does not show first, in two files: with one for each view, the build would spread what they share over
 * dozens of tiny ones.
 */
export const conversationPart = createLaterPart(() => import('./conversation.ts'));
export const extrasPart = createLaterPart(() => import('./extras.ts'));
