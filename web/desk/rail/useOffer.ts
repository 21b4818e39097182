import { useMemo } from 'react';
import type { RingTime } from '../../shared/components/OfferRing.tsx';
import { useSecondsLeft } from '../../shared/format/useSecondsLeft.ts';
import { useTexts } from '../../shared/texts/LanguageContext.tsx';
import { useDesk, useDeskActions } from '../DeskContext.tsx';
import { frameTexts } from '../frame/texts.ts';
import { useOpenToWrite } from '../frame/useOpenToWrite.ts';
import { useReport } from '../frame/useReport.ts';
import { useVisitorName } from '../frame/useVisitorName.ts';
import type { DeskConversation } from '../state/model.ts';
import { toLocalTime } from '../state/server-time.ts';
import { findHandover } from './handover.ts';
import { railTexts } from './texts.ts';

/** From which part of the time on the ring is amber. */
const ENDING_SHARE = 1 / 3;

export interface OfferView {
  readonly name: string;
  /** Channel, website and what it needs. */
  readonly details: string;
  /** What another operator wrote for the next one, else words of the visitor: the first, or the last before a transfer. */
  readonly text: string;
  /** Who had it before. */
  readonly from: string | undefined;
  readonly waitingSince: string;
  readonly secondsLeft: number;
  readonly isEnding: boolean;
  readonly ringTime: RingTime;
}

/** What the card and the strip of an offer show. The service's deadline counts, on the clock of this computer. */
export function useOffer(offer: DeskConversation): OfferView {
  const t = useTexts(frameTexts);
  const tOfRail = useTexts(railTexts);
  const nameVisitor = useVisitorName();
  const clockOffset = useDesk((state) => state.clockOffset);
  const totalMs = useDesk((state) => state.account.offerSeconds) * 1000;
  const deadline = offer.offerUntil === null ? Date.now() : toLocalTime(offer.offerUntil, clockOffset);
  const secondsLeft = useSecondsLeft(deadline);
  // Once: from here on the browser counts.
  const ringTime = useMemo(
    () => ({ totalMs, elapsedMs: Math.min(totalMs, Math.max(0, totalMs - (deadline - Date.now()))) }),
    [totalMs, deadline],
  );
  const handover = findHandover(offer);
  const said = offer.messages.filter(({ author, text }) => author === 'VISITOR' && text !== '');
  const words = handover === undefined ? said[0] : said.at(-1);
  return {
    name: nameVisitor(offer.visitor),
    details: [t(offer.channel), offer.website?.label, offer.skill?.name].filter(Boolean).join(' · '),
    text: handover?.note === undefined ? (words?.text ?? '') : tOfRail('note', { text: handover.note }),
    from: handover && (handover.by === undefined ? tOfRail('fromOther') : tOfRail('from', { name: handover.by })),
    waitingSince: handover?.at ?? offer.createdAt,
    secondsLeft,
    isEnding: secondsLeft * 1000 <= totalMs * ENDING_SHARE,
    ringTime,
  };
}

/** Answers offers; an accepted one is opened. */
export function useAnswerOffer(): {
  readonly accept: (conversationId: string) => void;
  readonly decline: (conversationId: string) => void;
} {
  const { acceptOffer, declineOffer } = useDeskActions();
  const openToWrite = useOpenToWrite();
  const report = useReport();
  return {
    accept: (conversationId) => openToWrite(conversationId, acceptOffer(conversationId)),
    decline: (conversationId) => report(declineOffer(conversationId)),
  };
}
