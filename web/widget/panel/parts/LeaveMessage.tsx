import { findOffer } from '../../settings.ts';
import type { Chat } from '../chat.ts';
import { Field } from './Field.tsx';
import { Hours } from './Hours.tsx';
import { Linked } from './Linked.tsx';
import { Problem } from './Problem.tsx';
import { isEmail, useForm } from './useForm.ts';

/** While the website is closed, or no operator is available. */
export function LeaveMessage({ chat }: { readonly chat: Chat }) {
  const { settings, isBusy } = chat.state;
  const { form, values, bind, submit } = useForm(chat, ({ email = '', text = '' }) => ({
    ...(!isEmail(email) && { email: chat.text(email ? 'emailInvalid' : 'fieldRequired') }),
    ...(!text.trim() && { text: chat.text('fieldRequired') }),
  }));
  const { name = '', email = '', text = '' } = values;
  return (
    <div class="panel-body">
      {!settings.isOpen && <Hours settings={settings} locale={chat.locale} closed={chat.text('closed')} />}
      <form
        class="panel-form"
        noValidate
        ref={form}
        onSubmit={(event) => {
          event.preventDefault();
          submit(() => chat.run((part) => part.leaveMessage({ name: name.trim(), email: email.trim(), text })));
        }}
      >
        <p>
          <Linked text={chat.text('leaveMessageIntroduction')} />
        </p>
        <Field
          {...bind('name')}
          label={chat.text('name')}
          optional={chat.text('optional')}
          autocomplete="name"
          maxLength={100}
        />
        <Field {...bind('email')} label={chat.text('email')} type="email" autocomplete="email" />
        <Field {...bind('text')} label={chat.text('message')} rows={3} maxLength={5000} />
        <Problem chat={chat} />
        <button type="submit" class="button" data-kind="primary" disabled={isBusy}>
          {chat.text('leaveMessage')}
        </button>
        {findOffer(settings) === 'chat' && (
          <button type="button" class="button" data-kind="quiet" onClick={() => chat.set({ page: 'form' })}>
            {chat.text('startChat')}
          </button>
        )}
      </form>
    </div>
  );
}
