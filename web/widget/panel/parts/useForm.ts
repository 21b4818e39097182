import { useRef, useState } from 'preact/hooks';
import type { Chat } from '../chat.ts';

export type Values = Readonly<Record<string, string>>;

/**
 * The values of a form, kept through a reload. A field is checked when the visitor leaves it, then on each change; a
 * submit with errors moves the focus to the first one.
 */
export function useForm(chat: Chat, check: (values: Values) => Values) {
  const [values, setValues] = useState<Values>(chat.stored.values.form ?? {});
  const [left, setLeft] = useState<Readonly<Record<string, boolean>>>({});
  const form = useRef<HTMLFormElement>(null);
  const errors = check(values);
  return {
    form,
    values,
    bind: (name: string) => ({
      name,
      value: values[name] ?? '',
      error: left[name] ? errors[name] : undefined,
      onChange(value: string) {
        const next = { ...values, [name]: value };
        setValues(next);
        chat.stored.set({ form: next });
        chat.load().catch(() => undefined); // a submit tries again
      },
      onLeave() {
        if (values[name]) setLeft({ ...left, [name]: true });
      },
    }),
    submit(action: () => void) {
      const [first] = Object.keys(errors);
      if (!first) return action();
      setLeft(Object.fromEntries(Object.keys(errors).map((name) => [name, true])));
      (form.current?.elements.namedItem(first) as HTMLElement | null)?.focus();
    },
  };
}

/** The service checks addresses in full; this finds what was mistyped. */
export function isEmail(text: string): boolean {
  return /^[^\s@]+@[^\s@]+\.[^\s@.]+$/.test(text.trim());
}
