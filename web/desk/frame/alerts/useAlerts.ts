import { useEffect, useRef } from 'react';
import { useTexts } from '../../../shared/texts/LanguageContext.tsx';
import { useDeskStore } from '../../DeskContext.tsx';
import { switchConversation } from '../switch-conversation.ts';
import { frameTexts } from '../texts.ts';
import { useVisitorName } from '../useVisitorName.ts';
import { findNews, type News } from './news.ts';
import { playSound } from './sound.ts';
import { DeskTabs } from './tabs.ts';

/** Sound and system notifications, from one tab of the browser: for offers always, for messages in the background. */
export function useAlerts(): void {
  const desk = useDeskStore();
  const t = useTexts(frameTexts);
  const nameVisitor = useVisitorName();
  const describe = (news: News) => {
    const name = nameVisitor(news.conversation.visitor);
    if (news.kind !== 'message')
      return { title: t('notifyOffer', { name }), body: news.conversation.skill?.name ?? '' };
    return { title: t('notifyMessage', { name }), body: news.message.text || t('notifyAttachment') };
  };
  const latest = useRef(describe);
  latest.current = describe;
  useEffect(() => {
    const tabs = new DeskTabs(navigator.locks);
    const followFocus = () => tabs.setInFront(document.visibilityState === 'visible' && document.hasFocus());
    let before = desk.getState();
    const tell = async (news: News) => {
      const { sound, notifications } = desk.getState().viewer.preferences;
      const isSeen = await tabs.isOneInFront();
      if (news.kind === 'message' && isSeen) return;
      if (sound) playSound(news.kind === 'message' ? 'message' : 'offer');
      if (notifications && !isSeen) notify(news.conversation.id, latest.current(news));
    };
    const stopWatching = desk.subscribe(() => {
      const after = desk.getState();
      const news = findNews(before, after);
      before = after;
      if (tabs.isElected) news.forEach(tell);
    });
    followFocus();
    const end = new AbortController();
    for (const type of ['focus', 'blur']) addEventListener(type, followFocus, { signal: end.signal });
    document.addEventListener('visibilitychange', followFocus, { signal: end.signal });
    return () => {
      stopWatching();
      end.abort();
      tabs.stop();
    };
  }, [desk]);
}

/** Only if the browser has the permission: it is asked for in the settings, never here. */
function notify(conversationId: string, { title, body }: { readonly title: string; readonly body: string }): void {
  if (typeof Notification === 'undefined' || Notification.permission !== 'granted') return;
  try {
    const notification = new Notification(title, { body, tag: `conversation-${conversationId}`, icon: '/favicon.svg' });
    notification.onclick = () => {
      focus();
      switchConversation(conversationId);
      notification.close();
    };
  } catch {
    // Phones allow notifications to service workers only.
  }
}
